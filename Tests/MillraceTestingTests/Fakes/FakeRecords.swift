import MillraceTesting

/// The value that the gateways of these tests fetch.
struct Record: Sendable, Hashable, Codable {
  var name: String
}

protocol RecordsGateway: Sendable {
  func fetch(_ query: String) async throws -> [Record]
  func remove(_ name: String, count: Int) async throws
  func refresh() async throws
}

struct Offline: Error, Equatable {}

struct FakeRecords: RecordsGateway, FakeGateway {
  let fetches: FakeCall<String, [Record]>
  let removals: FakeCall<(name: String, count: Int), Void>
  let refreshes: FakeCall<Void, Void>

  init(file: StaticString = #filePath, line: UInt = #line) {
    fetches = FakeCall("fetch", file: file, line: line)
    removals = FakeCall("remove", file: file, line: line)
    refreshes = FakeCall("refresh", file: file, line: line)
  }

  func fetch(_ query: String) async throws -> [Record] { try await fetches(query) }
  func remove(_ name: String, count: Int) async throws { try await removals((name, count)) }
  func refresh() async throws { try await refreshes() }
}
