import Testing

@testable import MillraceBenchmarks

@Suite("Rows of the journal")
struct JournalRowsTests {
  #if SQLite
    @Test(
      "Each row runs, and has a positive figure", arguments: (journalRows + storesRows + durableServiceRows).map(\.name)
    )
    func runs(name: String) async throws {
      let row = try #require(allRows.first { $0.name == name })
      #expect(try await row.measure(.quick).value > 0)
    }

    @Test("A build with the trait SQLite tells of no absent rows")
    func present() {
      #expect(absentJournalRows == nil)
    }
  #else
    @Test("A build without the trait SQLite tells how to build the rows")
    func absent() {
      #expect(journalRows.isEmpty && durableServiceRows.isEmpty)
      #expect(
        absentJournalRows
          == "The rows journal/… and service/durable-… need the trait SQLite: swift run -c release --traits SQLite --scratch-path "
          + ".build-traits-release benchmarks --filter journal/")
    }
  #endif
}
