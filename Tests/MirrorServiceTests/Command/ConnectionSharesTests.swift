import MillraceFlags
import Testing

@testable import MirrorService

@Suite("ConnectionShares")
struct ConnectionSharesTests {
  @Test("Clients, twice as many as are served, and requests to the upstream fit below the reserve")
  func fit() {
    for limit in [56, 64, 100, 200, 512, 664, 665, 20_000] {
      let files = OpenFiles(limit: limit)
      let shares = ConnectionShares(of: files, fetches: 64)
      #expect(OpenFiles.own + 2 * shares.clients + shares.fetches <= files.connections && shares.clients > 0)
      #expect(shares.end + shares.fetches == files.connections)
    }
  }

  @Test("Where the limit suffices there are as many as asked for; otherwise a sentence says how many, and the fix")
  func shortage() {
    let enough = ConnectionShares(of: OpenFiles(limit: 665), fetches: 64)
    #expect(enough.clients == 256 && enough.fetches == 64 && enough.shortage == nil)
    #expect(
      ConnectionShares(of: OpenFiles(limit: 64), fetches: 64).shortage
        == "mirror may open 64 files, which limits clients to 4 and requests to the upstream to 3; for 256 and 64, raise the "
        + "limit (ulimit -Hn 665).")
    #expect(ConnectionShares(of: OpenFiles(limit: 664), fetches: 64).shortage != nil)
    #expect(ConnectionShares(of: OpenFiles(limit: 56), fetches: 1).fetches == 1)
  }
}
