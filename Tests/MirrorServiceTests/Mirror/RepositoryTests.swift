import Foundation
import Millrace
import MillraceSocket
import MillraceTesting
import Testing

@testable import MirrorService

@Suite("Repository", .timeLimit(.minutes(1)))
struct RepositoryTests {
  @Test("A miss commits that it is fetched and what was fetched; a hit commits nothing")
  func commits() async {
    let upstream = FakeUpstream()
    upstream.fetches.when("libs/zlib").reply(.of("one"))
    let store = TestStore(
      initial: .init(name: "libs", capacity: 10_000), interactor: Repository(upstream: upstream, limits: .fake),
      fakes: [upstream])
    let miss = await store.send(.get("zlib", at: .zero)) { $0.fetching = ["zlib"] }
    await store.receive(.fetched("zlib", .of("one"))) {
      $0.fetching = []
      $0.artifacts = Copies(["zlib": .of("one")])
    }
    await store.expect(miss, endsWith: .finished)
    let hit = await store.send(.get("zlib", at: .seconds(59)))
    await store.expect(hit, endsWith: .finished)
    await store.finish()
  }

  @Test("Requests of an artifact that is fetched share the one fetch")
  func singleFlight() async throws {
    let mirror = FakeMirror()
    let held = mirror.upstream.fetches.hold()
    let receipts = (0..<3).map { _ in mirror.get("zlib") }
    try await held.arrived()
    held.release(.of("one"))
    for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
    #expect(mirror.upstream.fetches.requests == ["libs/zlib"])
    await mirror.finish()
  }

  @Test("A copy is valid up to the time that came with it, and is then fetched again")
  func expiry() async throws {
    let mirror = FakeMirror()
    mirror.upstream.fetches.reply(.of("one"))
    mirror.upstream.fetches.reply(.of("two", at: .seconds(60)))
    for text in ["one", "two"] {
      for _ in 0..<2 { #expect(try await mirror.answer("GET libs/zlib") == Answer(.ok, Data(text.utf8))) }
      mirror.clock.advance(by: .seconds(60))
    }
    #expect(mirror.upstream.fetches.requests.count == 2)
    await mirror.finish()
  }

  @Test("A copy that is valid for no time is the answer of its own request, and of no later one")
  func noTime() async throws {
    let mirror = FakeMirror()
    for text in ["one", "two"] {
      mirror.upstream.fetches.reply(Artifact(Data(text.utf8), until: .zero))
      #expect(try await mirror.answer("GET libs/zlib").text == text)
    }
    await mirror.finish()
  }

  @Test("A file that the upstream does not have is remembered too")
  func missing() async throws {
    let mirror = FakeMirror()
    mirror.upstream.fetches.reply(.of(nil))
    for _ in 0..<2 {
      #expect(try await mirror.answer("GET libs/zlib") == Answer(.missing, "The upstream has no zlib."))
    }
    await mirror.finish()
  }

  @Test("A fetch is tried again after a failure that may pass, and after no other; its last error is the answer")
  func retry() async throws {
    let mirror = FakeMirror(limits: Limits(attempts: 3))
    mirror.upstream.fetches.fail(UpstreamFailure(description: "busy"), times: 2)
    mirror.upstream.fetches.reply(.of("one"))
    let answer = try await mirror.clock.run(
      until: { try await mirror.answer("GET libs/zlib") }, within: .seconds(1))
    #expect(answer.text == "one")
    mirror.upstream.fetches.fail(UpstreamFailure(description: "forbidden", isLasting: true))
    #expect(try await mirror.answer("GET libs/png") == Answer(.failed, "Failed: forbidden."))
    #expect(await mirror.store.state.libs?.failure == "png was not fetched: forbidden")
    #expect(await mirror.store.state.libs?.fetching == [])
    await mirror.finish()
  }

  @Test("While the breaker is open, a hit is answered and a miss is refused without a call")
  func breaker() async throws {
    let mirror = FakeMirror(limits: Limits(attempts: 1, breaker: Plan.Breaker(failures: 2, openFor: .seconds(30))))
    mirror.upstream.fetches.when("libs/zlib").reply(.of("one"))
    #expect(try await mirror.answer("GET libs/zlib").text == "one")
    mirror.upstream.fetches.fail(UpstreamFailure(description: "busy"), times: 2)
    for name in ["a", "b"] { #expect(try await mirror.answer("GET libs/\(name)").word == .failed) }
    let refused = try await mirror.answer("GET libs/c")
    #expect(refused == Answer(.busy, "The upstream fails again and again; come again later."))
    #expect(try await mirror.answer("GET libs/zlib").text == "one")
    #expect(mirror.upstream.fetches.requests.count == 3)
    mirror.clock.advance(by: .seconds(30))
    mirror.upstream.fetches.reply(.of("three"))
    #expect(try await mirror.answer("GET libs/c").text == "three")
    await mirror.finish()
  }

  // One artifact that the upstream refused opened the breaker for all others.
  @Test("An artifact that the upstream refuses does not open the breaker; an upstream that is busy does")
  func refusedArtifact() async throws {
    let mirror = FakeMirror(limits: Limits(attempts: 1))
    let refused = UpstreamFailure(description: "forbidden", isLasting: true, status: 403)
    mirror.upstream.fetches.fail(refused, times: 9)
    for _ in 0..<9 { #expect(try await mirror.answer("GET libs/png").word == .failed) }
    mirror.upstream.fetches.fail(UpstreamFailure(description: "too many requests", status: 429), times: 5)
    for _ in 0..<5 { #expect(try await mirror.answer("GET libs/zlib").word == .failed) }
    #expect(try await mirror.answer("GET libs/zlib").word == .busy)
    await mirror.finish()
  }

  @Test("Artifacts of one name are published one after the other, and of all names as many as the limit allows")
  func publishing() async throws {
    let mirror = FakeMirror(limits: Limits(attempts: 1, publications: 2))
    let publications = mirror.upstream.publications
    let calls = (0..<2).map { _ in publications.when { $0.path == "libs/zlib" }.hold() }
    let otherCall = publications.when { $0.path == "libs/png" }.hold()
    let first = mirror.put("zlib", "one")
    let second = mirror.put("zlib", "two")
    let other = mirror.put("png", "three")
    let last = mirror.put("gif", "four")
    #expect(try await calls[0].arrived().bytes == Data("one".utf8))
    try await otherCall.arrived()
    #expect(publications.requests.count == 2)
    #expect(await mirror.store.metrics.waiting == 2)
    publications.when { $0.path == "libs/gif" }.reply(.of("four"))
    otherCall.release(.of("three"))
    for receipt in [other, last] { #expect(await receipt.outcome.kind == .finished) }
    #expect(publications.requests.count == 3)
    calls[0].release(.of("one"))
    #expect(await first.outcome.kind == .finished)
    #expect(try await calls[1].arrived().bytes == Data("two".utf8))
    calls[1].release(.of("two"))
    #expect(await second.outcome.kind == .finished)
    #expect(try await mirror.answer("GET libs/zlib").text == "two")
    let keys = mirror.upstream.publications.requests.map(\.idempotencyKey)
    #expect(Set(keys).count == 4)
    await mirror.finish()
  }

  @Test("A fetch that began before a publication does not replace what was published")
  func publishedWhileFetched() async throws {
    let mirror = FakeMirror()
    let held = mirror.upstream.fetches.hold()
    let get = mirror.get("zlib")
    try await held.arrived()
    mirror.upstream.publications.reply(.of("new"))
    #expect(try await mirror.answer("PUT libs/zlib 3", body: "new") == Answer(.ok))
    held.release(.of("old"))
    #expect(await get.outcome.kind == .finished)
    #expect(try await mirror.answer("GET libs/zlib").text == "new")
    await mirror.finish()
  }

  @Test(
    "A publication that failed removes the copy, for the upstream may have taken it; a fetch meanwhile is asked again")
  func publicationFailed() async throws {
    let mirror = FakeMirror()
    mirror.upstream.fetches.reply(.of("old"))
    _ = try await mirror.answer("GET libs/zlib")
    mirror.upstream.publications.fail(UpstreamFailure(description: "the answer broke off"))
    let refused = try await mirror.answer("PUT libs/zlib 3", body: "new")
    #expect(refused == Answer(.failed, "Failed: the answer broke off."))
    let held = mirror.upstream.fetches.hold()
    let get = Task { try await mirror.answer("GET libs/zlib") }
    try await held.arrived()
    mirror.upstream.publications.fail(UpstreamFailure(description: "the answer broke off"))
    _ = try await mirror.answer("PUT libs/zlib 3", body: "new")
    held.release(.of("old"))
    #expect(try await get.value == Answer(.busy, "zlib has changed while it was fetched; ask again."))
    await mirror.finish()
  }

  @Test(
    "Copies that take more memory than the repository has are removed, but for the newest, those first that expire first"
  )
  func capacity() {
    var state = Repository.State(name: "libs", capacity: 3_000)
    for (index, name) in ["a", "b", "c"].enumerated() {
      Repository.reduce(into: &state, mutation: .published(name, .of("x", at: .seconds(10 - index))))
    }
    #expect(state.artifacts.names == ["a", "c"])
    Repository.reduce(into: &state, mutation: .published("d", .of(String(repeating: "x", count: 3_000))))
    #expect(state.artifacts.names == ["d"])
  }
}
