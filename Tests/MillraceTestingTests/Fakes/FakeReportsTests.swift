import Testing

@testable import MillraceTesting

@Suite("FakeReports")
struct FakeReportsTests {
  @Test("A request is shown with up to 200 characters", arguments: [199, 200, 201])
  func limit(count: Int) {
    let reports = FakeReports(name: "fetch", ways: "", location: TestLine(#filePath, #line))
    let request = "\"" + String(repeating: "x", count: count - 2) + "\""
    let shown = reports.text(String(request.dropFirst().dropLast()))
    #expect(shown == "fetch(\(count <= 200 ? request : request.prefix(200) + "…"))")
  }
}
