import Testing

@testable import MillraceInspector

@Suite("Access to an inspector")
struct AccessTests {
  private func status(
    _ headers: [String: String], method: String = "GET", hosts: [String] = []
  ) -> Int? {
    var request = InspectorRequest(path: "/metrics")
    (request.method, request.headers) = (method, headers)
    return Access(hosts: hosts, token: nil).refusal(of: request)?.status
  }

  @Test(
    "The host is an address, localhost, or a name of the options",
    arguments: [
      ("localhost", nil), ("localhost:8080", nil), ("LOCALHOST", nil), ("127.0.0.1:8080", nil), ("10.0.0.7", nil),
      ("[::1]", nil), ("[::1]:8080", nil), ("shop.internal:80", nil), ("SHOP.internal", nil),
      ("evil.example", 421), ("127.0.0.1.evil.example", 421), ("localhost.evil.example:8080", 421), ("", 421),
      ("[evil]", 421), ("1.2.3", 421), ("shop.internal.evil", 421),
    ] as [(String, Int?)])
  func hosts(host: String, expected: Int?) {
    #expect(status(["host": host], hosts: ["Shop.internal"]) == expected)
  }

  @Test("A request without a host, as load balancers send it, is answered; one of a page is not")
  func noHost() {
    #expect(status([:]) == nil)
    #expect(status(["origin": "http://localhost"]) == 403)
  }

  @Test(
    "A page of another host is refused",
    arguments: [
      ("http://localhost:8080", nil), ("https://LOCALHOST:8080", nil), ("http://localhost:9090", 403),
      ("http://evil.example", 403), ("null", 403), ("", 403), ("localhost:8080", 403),
    ] as [(String, Int?)])
  func origins(origin: String, expected: Int?) {
    #expect(status(["host": "localhost:8080", "origin": origin]) == expected)
  }

  @Test("Only GET and HEAD without a body are answered")
  func methods() {
    for method in ["GET", "HEAD"] { #expect(status(["host": "localhost"], method: method) == nil) }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "get", ""] {
      #expect(status(["host": "localhost"], method: method) == 405)
    }
    #expect(status(["host": "localhost", "content-length": "0"]) == nil)
    #expect(status(["host": "localhost", "content-length": "1"]) == 413)
    #expect(status(["host": "localhost", "transfer-encoding": "chunked"]) == 413)
  }

  @Test(
    "A page that shows actions needs the token",
    arguments: [
      ("Bearer secret", true), ("bearer secret", true), ("Bearer secre", false), ("Bearer secret2", false),
      ("Bearer ", false), ("Bearer", false), ("secret", false), ("Basic secret", false), ("Bearer tecret", false),
      (nil, false),
    ] as [(String?, Bool)])
  func token(authorization: String?, isAllowed: Bool) {
    var request = InspectorRequest(path: "/runs")
    request.headers["authorization"] = authorization
    let refusal = Access(hosts: [], token: "secret").refusalWithoutToken(request)
    #expect((refusal == nil) == isAllowed)
    #expect(refusal?.status == (isAllowed ? nil : 401))
    #expect(Access(hosts: [], token: nil).refusalWithoutToken(request) == nil)
  }
}
