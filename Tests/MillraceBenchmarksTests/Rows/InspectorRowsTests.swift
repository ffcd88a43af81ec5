import Testing

@testable import MillraceBenchmarks

@Suite("Rows of the inspector")
struct InspectorRowsTests {
  #if Inspector
    @Test("Each row runs, and has a positive figure", arguments: inspectorRows.map(\.name))
    func runs(name: String) async throws {
      let row = try #require(allRows.first { $0.name == name })
      #expect(try await row.measure(.quick).value > 0)
    }

    @Test("A scrape of a port at which no server listens is no answer")
    func noServer() async {
      #expect(!(await ScrapingClient(port: 1).scrape().ends(with: "")))
    }

    @Test("A build with the trait Inspector tells of no absent rows")
    func present() {
      #expect(absentInspectorRows == nil)
    }
  #else
    @Test("A build without the trait Inspector tells how to build the rows")
    func absent() {
      #expect(inspectorRows.isEmpty)
      #expect(
        absentInspectorRows
          == "The rows inspect/… need the trait Inspector: swift run -c release --traits Inspector --scratch-path "
          + ".build-inspector-release benchmarks --filter inspect/")
    }
  #endif
}
