@testable import MillraceInspector

/// The status and the body with which pages answer a request.
func ask(
  _ pages: Pages, _ path: String, _ query: [(name: String, value: String?)] = [], token: String? = nil
) async -> (status: Int, body: String) {
  var request = InspectorRequest(path: path, query: query, headers: ["host": "localhost"])
  request.headers["authorization"] = token.map { "Bearer \($0)" }
  let refusal = pages.refusal(of: request)
  let response = if let refusal { refusal } else { await pages.answer(request) }
  return (response.status, response.body)
}
