import Foundation
import MillraceCurl
import Testing

@testable import MillraceHTTP
@testable import PulseService

@Suite("GatewayFailure")
struct GatewayFailureTests {
  @Test("A status that is the server's trouble, or asks to come again, may pass; others stay")
  func status() {
    for status in [408, 425, 429, 500, 502, 503, 504] { #expect(!GatewayFailure.status(status).isLasting) }
    for status in [400, 401, 403, 404, 410, 422, 499] { #expect(GatewayFailure.status(status).isLasting) }
    #expect(GatewayFailure.status(503).description == "status 503")
    #expect(GatewayFailure.status(503).status == 503 && GatewayFailure("no answer").status == nil)
  }

  @Test("The failure of a transfer keeps its words, and whether it lasts")
  func transfer() throws {
    var answer = millrace_answer()
    answer.end = .lost
    #expect(try GatewayFailure(#require(TransferFailure(answer, limit: .zero))).description == "the answer broke off")
    answer.end = .notHTTP
    #expect(try GatewayFailure(#require(TransferFailure(answer, limit: .zero))) == .lasting("answer is not HTTP"))
    #expect(GatewayFailure.system(EMFILE) == .tooFewFiles)
    #expect(GatewayFailure(TransferFailure.expired).certificate == .expires(after: .zero))
    #expect(GatewayFailure(TransferFailure.unknownHost).certificate == nil)
    #expect(GatewayFailure.late(.seconds(2)).description == "no answer within 2 s")
  }
}
