import Foundation
import MillraceCurl
import Testing

@testable import MillraceHTTP

@Suite("TransferFailure")
struct TransferFailureTests {
  @Test(
    "Each way in which a transfer ends has words of its own",
    arguments: [
      (.headerLimit, "the header of the answer is too long", true), (.cutShort, "the answer was cut short", false),
      (.empty, "empty answer", false), (.notHTTP, "answer is not HTTP", true), (.late, "no answer within 2 s", false),
      (.noConnection, "cannot connect", false), (.lost, "the answer broke off", false),
      (.noAddress, "host not found", false), (.notSecure, "secure connection failed", true),
      (.bodyLate, "the answer did not end within 2 s", false),
      (.switched, "the server switched to another protocol (status 101)", true),
      (.lacksConnection, "cannot connect", false),
      (.notTrusted, "certificate is not trusted (error 99 of OpenSSL)", true),
      (
        .noCertificates, "no certificate can be trusted; install ca-certificates, or name issuers by --ca FILE", true
      ),
      (.other, "the request failed (error 99 of libcurl)", false),
    ] as [(millrace_end, String, Bool)])
  func ends(end: millrace_end, reason: String, isLasting: Bool) throws {
    var answer = millrace_answer()
    answer.end = end
    answer.code = 99
    answer.verification = 99
    let failure = try #require(TransferFailure(answer, limit: .seconds(2)))
    #expect(failure.description == reason && failure.isLasting == isLasting)
  }

  @Test("A certificate that has expired is a failure that callers can tell from others")
  func expired() {
    var answer = millrace_answer()
    answer.end = .notTrusted
    answer.verification = 10
    #expect(TransferFailure(answer, limit: .seconds(2)) == .expired)
    #expect(
      TransferFailure.expired.description == "certificate has expired; renew it" && TransferFailure.expired.isLasting)
    answer.verification = 9
    #expect(TransferFailure(answer, limit: .seconds(2)) != .expired)
  }

  @Test("An answer that arrived, whole or as much as is wanted, is no failure")
  func answers() {
    for end in [millrace_end.whole, .bodyLimit] {
      var answer = millrace_answer()
      answer.end = end
      #expect(TransferFailure(answer, limit: .seconds(2)) == nil)
    }
  }

  @Test("The error number of a connection is in the system's words, and one of too few descriptors says the fix")
  func system() {
    var answer = millrace_answer()
    answer.end = .noConnection
    answer.system_error = ECONNREFUSED
    #expect(TransferFailure(answer, limit: .seconds(2))?.description == "connection refused")
    answer.system_error = EMFILE
    #expect(
      TransferFailure(answer, limit: .seconds(2))?.description
        == "too few file descriptors; raise the limit (ulimit -n)")
    answer.end = .lost
    answer.system_error = ECONNRESET
    #expect(TransferFailure(answer, limit: .seconds(2))?.description == "connection lost")
  }
}
