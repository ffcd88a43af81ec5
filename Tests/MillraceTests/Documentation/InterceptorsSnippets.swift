import Foundation
import Millrace
import MillraceTesting
import Synchronization
import Testing

/// The snippets of docs/interceptors.md, as they stand there.
enum InterceptorsSnippets {
  // snippet.OpeningHours
  final class OpeningHours: Sendable {
    /// The sends that wait until the shop opens; nil once it is open.
    private let waiting = Mutex<[@Sendable () -> Void]?>([])

    func intercept(_ action: Shop.Action, context: InterceptionContext<Shop.Action>) -> Interception<Shop.Action> {
      let isOpen = waiting.withLock { waiting in
        waiting?.append { context.send(action) }
        return waiting == nil
      }
      return isOpen ? .pass : .reject("it is sent when the shop opens")
    }

    func open() {
      let sends = waiting.withLock { waiting in
        defer { waiting = nil }
        return waiting ?? []
      }
      for send in sends { send() }
    }
  }
  // snippet.end

  static func make() -> (Store<Shop>, OpeningHours) {
    // snippet.reject-replace-delay
    let hours = OpeningHours()
    let store = Store(
      initial: Shop.State(), interactor: Shop(),
      interceptors: [
        ActionInterceptor { action, _ in
          guard case .add(let article) = action, article.count > 20 else { return .pass }
          return .reject("an article has at most 20 letters")
        },
        ActionInterceptor { action, _ in
          guard case .search(.type(let text)) = action else { return .pass }
          return .replace(.search(.type(text.lowercased())))
        },
        ActionInterceptor(hours.intercept),
      ])
    // snippet.end
    return (store, hours)
  }

  static func replace(_ store: Store<Shop>, _ hours: OpeningHours) {
    // snippet.chain
    store.setInterceptors([ActionInterceptor(hours.intercept), LoggingInterceptor()])
    store.setInterceptors([])
    // snippet.end
  }

  // snippet.watch
  /// Counts the mutations of a store.
  final class Commits: Interceptor {
    typealias I = Shop

    let count = Mutex(0)

    func committed(
      _ mutation: Shop.Mutation, revision: Int, cause: Cause<Shop.Action>, state: borrowing Shop.State
    ) {
      count.withLock { $0 += 1 }
    }
  }
  // snippet.end

  static func log(_ store: Store<Shop>, to log: @escaping @Sendable (String) -> Void) {
    // snippet.logging
    store.setInterceptors([LoggingInterceptor { line in log(line) }])
    // snippet.end
  }

  static func trace(_ store: Store<Shop>, _ traceparent: String, _ tracestate: String?) {
    // snippet.tracing
    store.send(.add("pears"), context: TraceContext(traceparent: traceparent, tracestate: tracestate))
    // snippet.end
  }

  static func traceAnew(_ store: Store<Shop>) {
    // snippet.trace-generator
    var random = SystemRandomNumberGenerator()
    store.send(.add("pears"), context: .new(using: &random))
    // snippet.end
  }

  static func headers() -> [String: String] {
    // snippet.headers
    func headers() -> [String: String] {
      guard let context = RunContext.current, let traceparent = context.traceparent else { return [:] }
      return ["traceparent": traceparent, "tracestate": context.tracestate].compactMapValues(\.self)
    }
    // snippet.end
    return headers()
  }

  static func spans(
    _ store: Store<Shop>, began: @escaping @Sendable (String, String, String, String?) -> Void,
    event: @escaping @Sendable (String, String, Int) -> Void,
    ended: @escaping @Sendable (String, Outcome, Duration) -> Void
  ) {
    // snippet.trace-began
    let tracing = TracingInterceptor<Shop> { span in
      began(span.name, span.traceID, span.spanID, span.parentSpanID)
    } committed: { span, mutation, revision in
      event(span.spanID, mutation, revision)
    } ended: { span, outcome, duration in
      ended(span.spanID, outcome, duration)
    }
    // snippet.end
    store.setInterceptors([tracing])
  }

  // snippet.trace-times
  /// A span in the JSON of OTLP.
  struct OTLPSpan: Encodable, Sendable {
    let traceId, spanId, parentSpanId, name: String
    let startTimeUnixNano, endTimeUnixNano: String
    let kind = 1
    let status: [String: Int]

    init(_ span: TraceSpan, _ outcome: Outcome, _ duration: Duration) {
      let end = Date().timeIntervalSince1970
      (traceId, spanId, parentSpanId) = (span.traceID, span.spanID, span.parentSpanID ?? "")
      name = span.name
      startTimeUnixNano = String(Int64((end - duration / .seconds(1)) * 1e9))
      endTimeUnixNano = String(Int64(end * 1e9))
      status = ["code": outcome.kind == .finished ? 1 : 2]
    }
  }
  // snippet.end

  static func export(_ store: Store<Shop>, to export: @escaping @Sendable (OTLPSpan) -> Void) {
    // snippet.trace-export
    let exporting = TracingInterceptor<Shop>(ended: { span, outcome, duration in
      if span.isSampled { export(OTLPSpan(span, outcome, duration)) }
    })
    // snippet.end
    store.setInterceptors([exporting])
  }

  static func remember(_ store: Store<Shop>, _ print: (String) -> Void) {
    // snippet.history
    let history = TransitionHistory<Shop>(keeping: 1_000)
    store.setInterceptors([history])
    // snippet.end
    store.send(.add("pears"))
    // snippet.why
    print(history.why(1))
    // snippet.end
  }
}

@Suite("Interceptors", .timeLimit(.minutes(1)))
struct InterceptorsSnippetsTests {
  private let store = Store(initial: Shop.State(), interactor: Shop())
  private let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  @Test("The first rejects, the second replaces, the third sends later what came while the shop was closed")
  func chain() async {
    let (store, hours) = InterceptorsSnippets.make()
    let long = await store.send(.add("an article with a name that is too long")).outcome
    #expect("\(long)" == "rejected: An interceptor rejected the action: an article has at most 20 letters")
    #expect(await store.send(.search(.type("PE"))).outcome.kind == .rejected)
    #expect(await store.send(.add("pears")).outcome.kind == .rejected)
    #expect(await store.snapshot.revision == 0)
    hours.open()
    #expect(await store.state.search.found == ["pears"])
    #expect(await store.state.cart == ["pears"])
    #expect(await store.send(.add("apples")).outcome.kind == .finished)
    InterceptorsSnippets.replace(store, hours)
    #expect(await store.send(.add("an article with a name that is too long")).outcome.kind == .finished)
  }

  @Test("A custom interceptor is notified of each commit")
  func commits() async {
    let commits = InterceptorsSnippets.Commits()
    store.setInterceptors([commits])
    store.send(.add("pears"))
    #expect(await store.state.cart == ["pears"])
    #expect(commits.count.withLock { $0 } == 1)
  }

  @Test("Logging writes three lines for a decided action")
  func log() async {
    let lines = Notes<String>()
    InterceptorsSnippets.log(store) { lines.note($0) }
    _ = await store.send(.add("pears")).outcome
    #expect(lines.all.map { $0.prefix { $0 != " " } } == ["accepted", "committed", "finished"])
  }

  @Test("Spans are told with their events; a trace that came in is theirs, and a new one is valid")
  func spans() async throws {
    let (began, events, ended) = (Notes<[String?]>(), Notes<String>(), Notes<String>())
    InterceptorsSnippets.spans(store) { name, trace, span, parent in
      began.note([name, trace, span, parent])
    } event: { span, mutation, revision in
      events.note("\(span) \(mutation) \(revision)")
    } ended: { span, outcome, _ in
      ended.note("\(span) \(outcome)")
    }
    InterceptorsSnippets.trace(store, header, "a=b")
    InterceptorsSnippets.traceAnew(store)
    #expect(await store.snapshot.revision == 2)
    #expect(began.all.map(\.first) == ["add", "add"])
    let span = try #require(began.all.first?[2])
    #expect(began.all.first == ["add", "4bf92f3577b34da6a3ce929d0e0e4736", span, "00f067aa0ba902b7"])
    #expect(events.all.first == "\(span) added 1")
    #expect(ended.all.first == "\(span) finished")
    #expect(began.all.last?[1] != began.all.first?[1])
  }

  @Test("A handler's headers are those of its run, and none outside of a run")
  func headers() async throws {
    let script = Store<ScriptedInteractor>()
    let headers = Recorder<[String: String]>()
    let trace = TraceContext(traceparent: header, tracestate: "a=b")
    script.send(.handle { _ in headers.record(InterceptorsSnippets.headers()) }, context: trace)
    let sent = try await headers.next()
    #expect(sent["traceparent"]?.hasPrefix("00-4bf92f3577b34da6a3ce929d0e0e4736-") == true)
    #expect(sent["tracestate"] == "a=b")
    #expect(InterceptorsSnippets.headers().isEmpty)
  }

  @Test("A span is exported in the JSON of OTLP, if its trace is sampled")
  func export() async throws {
    let spans = Notes<InterceptorsSnippets.OTLPSpan>()
    InterceptorsSnippets.export(store) { spans.note($0) }
    InterceptorsSnippets.trace(store, header, nil)
    InterceptorsSnippets.trace(store, header.dropLast(2) + "00", nil)
    #expect(await store.snapshot.revision == 2)
    try #require(spans.all.count == 1)
    let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(spans.all[0])) as? [String: Any]
    #expect(json?["traceId"] as? String == "4bf92f3577b34da6a3ce929d0e0e4736")
    #expect(json?["parentSpanId"] as? String == "00f067aa0ba902b7")
    #expect(json?["name"] as? String == "add")
    #expect(json?["kind"] as? Int == 1)
    #expect(json?["status"] as? [String: Int] == ["code": 1])
    #expect((json?["startTimeUnixNano"] as? String)?.count == 19)
  }

  @Test("A history tells why")
  func remember() {
    let printed = Notes<String>()
    InterceptorsSnippets.remember(store) { printed.note($0) }
    #expect(printed.all.first?.hasPrefix("revision 1: added, by add (#") == true)
  }
}
