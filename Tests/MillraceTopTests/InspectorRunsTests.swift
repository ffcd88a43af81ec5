import MillraceHTTP
import MillraceInspector
import MillraceLoopback
import Testing

@testable import MillraceTop

@Suite("millrace top, its questions", .timeLimit(.minutes(1)))
struct InspectorRunsTests {
  @Test(
    "Each answer that is no list is a sentence with the fix",
    arguments: [
      (.answer(status: 401), "shows its runs to those alone who have its token"),
      (.answer(status: 404), "answers with the status 404; give the address of an inspector"),
      (.answer(status: 503), "did not list its runs in time"),
      (.answer(body: "<html>"), "answers with no list of runs"), (.reset, "does not answer: "),
    ] as [(LoopbackResponder.Reply, String)])
  func failures(reply: LoopbackResponder.Reply, sentence: String) async throws {
    let responder = try LoopbackResponder { _ in reply }
    defer { responder.stop() }
    let url = try TransferURL(reading: "http://127.0.0.1:\(responder.port)")
    let runs = try InspectorRuns(at: url, count: 10, token: nil, issuers: nil)
    let failure = await #expect(throws: RunsFailure.self) { try await runs.runs() }
    #expect(failure?.description.contains(sentence) == true, "\(failure?.description ?? "")")
  }

  @Test("The list is asked for by its length, with the token, and read")
  func list() async throws {
    let responder = try LoopbackResponder.toRequests { request in
      guard request.path == "/runs?limit=10", request.headers["authorization"] == "Bearer abc" else {
        return .answer(status: 400)
      }
      return .answer(
        body: """
          {"runs":[{"store":"orders","id":"1","key":"k","stuck":true,"attempt":1,"deaths":0,"stage":"running",\
          "doing":"runs","age":2.5}],"unanswered":["carts"]}
          """)
    }
    defer { responder.stop() }
    let url = try TransferURL(reading: "http://127.0.0.1:\(responder.port)/")
    let document = try await InspectorRuns(at: url, count: 10, token: "abc", issuers: nil).runs()
    #expect(document.runs.map(\.age) == [2.5] && document.runs[0].stuck && document.unanswered == ["carts"])
  }
}
