import Testing

@testable import MillraceRecording

@Suite("Resimulation script")
struct ResimulationScriptTests {
  @Test("A call begins behind all that was not later than it, and before its reply")
  func places() {
    let script = ResimulationScript(times: [0, 5, 5, 9, 9, 20], calls: [(2, 0), (3, 4), (5, 19)])
    #expect(
      script.steps == [
        .entry(0), .begin(call: 2, at: 1), .entry(1), .begin(call: 0, at: 5), .reply(2, call: 0),
        .begin(call: 1, at: 5),
        .reply(3, call: 1), .entry(4), .reply(5, call: 2),
      ])
  }

  @Test("Without calls it is the entries, and a call that is older than all of them begins first")
  func edges() {
    #expect(ResimulationScript(times: [], calls: []).steps == [])
    #expect(ResimulationScript(times: [3, 4], calls: []).steps == [.entry(0), .entry(1)])
    #expect(
      ResimulationScript(times: [3, 4], calls: [(1, 9)]).steps == [
        .begin(call: 0, at: -5), .entry(0), .reply(1, call: 0),
      ])
  }
}
