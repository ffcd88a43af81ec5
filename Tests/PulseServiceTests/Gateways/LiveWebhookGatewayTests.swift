import Foundation
import MillraceHTTP
import MillraceLoopback
import MillraceSilentNames
import MillraceTesting
import Testing

@testable import PulseService

@Suite("LiveWebhookGateway, against a responder on loopback", .timeLimit(.minutes(1)))
struct LiveWebhookGatewayTests {
  private let gateway = LiveWebhookGateway(host: "here", limit: .seconds(60))
  private let notice = Notice(
    change: AlertChange(
      number: 1, alert: .init(rule: "cpu > 90 %", subject: "cpu"), isFiring: true, value: 97.1234),
    time: Date(timeIntervalSince1970: 1_700_000_000))

  @Test("A notice is one POST of a JSON object, with its idempotency key")
  func post() async throws {
    let requests = Recorder<LoopbackRequest>()
    let responder = try LoopbackResponder.toRequests { request in
      requests.record(request)
      return .answer(status: 204, body: "")
    }
    defer { responder.stop() }
    for path in ["/alerts?key=1", ""] {
      try await gateway.post(notice, to: Webhook(responder.url(path)), idempotencyKey: "key-\(path)")
      let request = try await requests.next()
      #expect(request.method == "POST" && request.path == (path.isEmpty ? "/" : path))
      #expect(request.headers["idempotency-key"] == "key-\(path)")
      #expect(request.headers["content-type"] == "application/json")
      #expect(
        request.body == """
          {"alert":"cpu > 90 %","at":"2023-11-14T22:13:20Z","host":"here","status":"firing","subject":"cpu",\
          "value":97.12}
          """)
    }
  }

  @Test("The end of an alert about a target says so, without what is not known")
  func document() {
    let change = AlertChange(
      number: 2, alert: .init(rule: "target down", subject: "http://a"), isFiring: false, reason: "the rule was removed"
    )
    let document = NoticeDocument(Notice(change: change, time: notice.time), host: "here")
    #expect(
      String(decoding: document.data, as: UTF8.self) == """
        {"alert":"target down","at":"2023-11-14T22:13:20Z","host":"here","reason":"the rule was removed",\
        "status":"resolved","subject":"http://a"}
        """)
  }

  @Test("An answer that is no success is a failure, and says whether another attempt may mend it")
  func status() async throws {
    let responder = try LoopbackResponder { path in .answer(status: Int(path.dropFirst()) ?? 200) }
    defer { responder.stop() }
    for (status, isLasting) in [(400, true), (404, true), (408, false), (429, false), (500, false), (503, false)] {
      let error = await #expect(throws: GatewayFailure.self) {
        try await gateway.post(notice, to: Webhook(responder.url("/\(status)")), idempotencyKey: "key")
      }
      #expect(error?.description == "status \(status)")
      #expect(error?.isLasting == isLasting)
    }
    await #expect(throws: GatewayFailure.lasting("redirected; name the URL it leads to")) {
      try await gateway.post(notice, to: Webhook(responder.url("/304")), idempotencyKey: "key")
    }
  }

  @Test(
    "The Retry-After of a 429 or 503 is part of the failure, in seconds or as a date, and that of another status is not",
    arguments: [
      (429, "120", 120...120), (503, "7", 7...7), (503, "Fri, 31 Dec 2999 23:59:59 GMT", 3_600...1 << 40),
      (429, "0", nil),
      (429, "soon", nil), (503, nil, nil), (500, "120", nil), (404, "120", nil),
    ] as [(Int, String?, ClosedRange<Int64>?)])
  func retryAfter(status: Int, field: String?, expected: ClosedRange<Int64>?) async throws {
    let header = field.map { "retry-AFTER: \($0)\r\n" } ?? ""
    let answer = "HTTP/1.1 \(status) No\r\n\(header)Content-Length: 0\r\n\r\n"
    let responder = try LoopbackResponder { _ in .raw(Array(answer.utf8)) }
    defer { responder.stop() }
    let error = await #expect(throws: GatewayFailure.self) {
      try await gateway.post(notice, to: Webhook(responder.url()), idempotencyKey: "key")
    }
    #expect(error?.status == status && error?.mayHaveArrived == false)
    #expect((error?.retryAfter?.components.seconds).map { expected?.contains($0) == true } ?? (expected == nil))
  }

  @Test("A look-up that hangs ends at the limit, and nothing has arrived")
  func silentNames() async throws {
    let names = SilentNames()
    let gateway = LiveWebhookGateway(
      host: "here", limit: .milliseconds(50), resolver: Resolver(lookUp: names.lookUp))
    await #expect(throws: GatewayFailure("no answer from the name server")) {
      try await gateway.post(notice, to: Webhook("http://silent.test/"), idempotencyKey: "key")
    }
    names.answer()
  }

  @Test("A webhook may have a limit of its own")
  func ownLimit() async throws {
    let responder = try LoopbackResponder { _ in .hang }
    defer { responder.stop() }
    var webhook = try Webhook(responder.url())
    webhook.limit = .milliseconds(100)
    let error = await #expect(throws: GatewayFailure.self) {
      try await gateway.post(notice, to: webhook, idempotencyKey: "key")
    }
    #expect(error?.description == "no answer within 0.1 s")
  }

  @Test("A request that was sent and not answered may have arrived")
  func unanswered() async throws {
    let responder = try LoopbackResponder { _ in .hang }
    defer { responder.stop() }
    let gateway = LiveWebhookGateway(host: "here", limit: .milliseconds(100))
    let error = await #expect(throws: GatewayFailure.self) {
      try await gateway.post(notice, to: Webhook(responder.url()), idempotencyKey: "key")
    }
    #expect(error?.description == "no answer within 0.1 s" && error?.mayHaveArrived == true)
  }

  @Test("A port without a listener, and a connection that breaks, are failures that may pass")
  func unreachable() async throws {
    let closed = "http://127.0.0.1:\(try LoopbackResponder.closedPort())/"
    await #expect(throws: GatewayFailure("connection refused")) {
      try await gateway.post(notice, to: Webhook(closed), idempotencyKey: "key")
    }
    let responder = try LoopbackResponder { _ in .reset }
    defer { responder.stop() }
    await #expect(throws: GatewayFailure.unanswered) {
      try await gateway.post(notice, to: Webhook(responder.url()), idempotencyKey: "key")
    }
  }

  @Test("A post to a server that hangs ends when it is cancelled")
  func cancelled() async throws {
    let requests = Recorder<String>()
    let responder = try LoopbackResponder { path in
      requests.record(path)
      return .hang
    }
    defer { responder.stop() }
    let webhook = try Webhook(responder.url("/hang"))
    let post = Task { try await gateway.post(notice, to: webhook, idempotencyKey: "key") }
    #expect(try await requests.next() == "/hang")
    post.cancel()
    await #expect(throws: CancellationError.self) { try await post.value }
  }
}
