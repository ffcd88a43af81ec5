import Foundation
import Millrace
import MillraceRecording
import MillraceSocket
import MillraceTesting
import Testing

@testable import MirrorService

@Suite("MirrorService", .timeLimit(.minutes(1)))
struct MirrorServiceTests {
  @Test("Where neither a slot nor room is free a GET is refused at once, a PUT waits, and a hit is answered")
  func overload() async throws {
    let mirror = FakeMirror(store: StoreConfiguration.Limits(runsInFlight: 1, actionsWaiting: 0))
    mirror.upstream.fetches.reply(.of("one"))
    #expect(try await mirror.answer("GET libs/zlib").text == "one")
    let held = mirror.upstream.fetches.hold()
    let get = mirror.get("png")
    try await held.arrived()
    let refused = try await mirror.answer("GET libs/gif")
    #expect(refused == Answer(.busy, "The mirror has as many requests as it takes; come again."))
    #expect(try await mirror.answer("GET libs/zlib").text == "one")
    mirror.upstream.publications.reply(.of("two"))
    let put = Task.immediate { try await mirror.answer("PUT libs/gif 3", body: "two") }
    #expect(await mirror.store.metrics.submitting == 1)
    held.release(.of("three"))
    #expect(await get.outcome.kind == .finished)
    #expect(try await put.value == Answer(.ok))
    await mirror.finish()
  }

  @Test("A request that takes longer than its time is answered so, and its call is cancelled")
  func timeout() async throws {
    let mirror = FakeMirror(limits: Limits(timeout: .seconds(5), attemptTimeout: .seconds(60), attempts: 1))
    let held = mirror.upstream.fetches.hold()
    let answer = Task.immediate { try await mirror.answer("GET libs/zlib") }
    try await held.arrived()
    mirror.clock.advance(by: .seconds(5))
    #expect(try await answer.value == Answer(.timeout, "The upstream did not answer in time."))
    #expect(await mirror.store.state.libs?.failure == "zlib was not fetched: timed out")
    await mirror.finish()
  }

  @Test("An attempt that takes longer than its time is followed by another one")
  func attemptTimeout() async throws {
    let mirror = FakeMirror(limits: Limits(timeout: .seconds(60), attemptTimeout: .seconds(3), attempts: 2))
    let held = mirror.upstream.fetches.hold()
    mirror.upstream.fetches.reply(.of("one"))
    let answer = Task.immediate { try await mirror.answer("GET libs/zlib") }
    try await held.arrived()
    #expect(try await mirror.clock.run(until: { try await answer.value }, within: .seconds(5)).text == "one")
    await mirror.finish()
  }

  @Test("During a drain what was accepted is answered, and what comes is refused")
  func drain() async throws {
    let mirror = FakeMirror()
    let held = mirror.upstream.fetches.hold()
    let accepted = Task.immediate { try await mirror.answer("GET libs/zlib") }
    try await held.arrived()
    let shutdown = Task.immediate { await mirror.store.shutdown(drainFor: .seconds(10)) }
    for line in ["GET libs/png", "PUT libs/png 3", "ADD apps"] {
      #expect(try await mirror.answer(line) == Answer(.busy, "The mirror stops."))
    }
    held.release(.of("one"))
    #expect(try await accepted.value.text == "one")
    #expect(await shutdown.value.isClean)
    await mirror.finish()
  }

  @Test("A request not finished when the drain is over is cut, and answered so")
  func cut() async throws {
    let mirror = FakeMirror()
    let held = mirror.upstream.fetches.hold()
    let accepted = Task.immediate { try await mirror.answer("GET libs/zlib") }
    try await held.arrived()
    let shutdown = Task.immediate { await mirror.store.shutdown(drainFor: .seconds(1)) }
    mirror.clock.advance(by: .seconds(1))
    #expect(try await accepted.value == Answer(.busy, "The mirror stops."))
    #expect(await shutdown.value.cancelled.count == 1)
    await mirror.finish()
  }

  @Test("STATUS tells what each repository has and does, METRICS has the figures of the store and the mirror")
  func status() async throws {
    let mirror = FakeMirror()
    #expect(try await mirror.answer("STATUS").text == "libs: artifacts 0, bytes 0\n")
    mirror.upstream.fetches.reply(.of("one"))
    _ = try await mirror.answer("GET libs/zlib")
    let held = mirror.upstream.fetches.hold()
    let get = mirror.get("png")
    try await held.arrived()
    #expect(try await mirror.answer("STATUS").text == "libs: artifacts 1, bytes 3, fetching png\n")
    let metrics = try await mirror.answer("METRICS").text
    #expect(metrics.contains("mirror_actions_in_flight 1\n"), "\(metrics)")
    #expect(metrics.contains("mirror_artifacts{repository=\"libs\"} 1\n") && metrics.hasSuffix("# EOF\n"))
    get.cancel()
    _ = try await mirror.answer("REMOVE libs")
    #expect(try await mirror.answer("STATUS").text == "no repositories\n")
    await mirror.finish()
  }

  @Test("A recording has no contents, replays to the same states, and its handlers do the same again")
  func recording() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "mirror-\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: file) }
    let upstream = FakeUpstream()
    upstream.fetches.when("libs/zlib").reply(.of("confidential"))
    upstream.fetches.when("libs/png").reply(.of(nil))
    upstream.fetches.when("libs/gif").fail(UpstreamFailure(description: "forbidden", isLasting: true))
    upstream.publications.reply(.of("confidential"))
    let recorder = MirrorRecorder(initial: .libs(), to: file, redaction: .withoutContents)
    let store = Store(
      initial: .libs(), interactor: Mirror(upstream: TapedUpstream(upstream: upstream, tape: recorder.tape)),
      interceptors: [recorder])
    let service = MirrorService(store: store, now: { .zero })
    for line in ["GET libs/zlib", "GET libs/png", "GET libs/gif", "PUT libs/new 12", "ADD apps", "REMOVE libs"] {
      _ = await service.answer(try Request(line, largest: 100), body: Data("confidential".utf8))
    }
    await store.shutdown()
    #expect(await recorder.finish(with: store.snapshot))
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(!text.contains("confidential") && !text.contains(Data("confidential".utf8).base64EncodedString()))
    #expect(text.contains("\"count\":12"))
    #expect(try Recording<Mirror>.replay(contentsOf: file).isSame)
    let report = await (try Recording<Mirror>.read(from: file)).resimulate { tape in
      Mirror(upstream: TapedUpstream(upstream: FakeUpstream(), tape: tape))
    }
    #expect(report.isSame && report.replies == 4, "\(report)")
    await upstream.finish()
  }
}
