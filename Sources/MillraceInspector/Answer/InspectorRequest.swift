/// A request of a client, without a body.
struct InspectorRequest: Sendable {
  var method = "GET"
  /// The path, percent-decoded and without the query.
  var path: String
  /// The names and values of the query in their order; nil for a name without `=`.
  var query: [(name: String, value: String?)] = []
  /// The headers that count, by their names in lower case.
  var headers: [String: String] = [:]

  /// The names of the headers that count.
  static let headerNames = ["host", "origin", "authorization", "content-length", "transfer-encoding"]

  /// Whether the query has the name, with a value or without.
  func has(_ name: String) -> Bool { query.contains { $0.name == name } }

  /// The values that the query has for a name.
  func values(of name: String) -> [String] { query.filter { $0.name == name }.compactMap(\.value) }
}

/// The answer to a request.
struct InspectorResponse: Sendable {
  let status: Int
  let type: String
  let body: String
  var headers: [(name: String, value: String)] = []

  init(_ status: Int, type: String = "text/plain; charset=utf-8", _ body: String) {
    self.status = status
    self.type = type
    self.body = body
  }
}

/// The answers to the requests of a server.
protocol InspectorAnswers: Sendable {
  /// The refusal of a request, which is made of its head only; nil if it may be answered.
  func refusal(of request: InspectorRequest) -> InspectorResponse?

  /// The longest time for the answer to a request.
  func limit(of request: InspectorRequest) -> Duration

  /// Answers a request that is not refused.
  func answer(_ request: InspectorRequest) async -> InspectorResponse
}
