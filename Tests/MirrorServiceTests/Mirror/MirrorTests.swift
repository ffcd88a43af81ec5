import Foundation
import Millrace
import MillraceSocket
import MillraceTesting
import Testing

@testable import MirrorService

@Suite("Mirror", .timeLimit(.minutes(1)))
struct MirrorTests {
  @Test("Repositories are added up to a number, and the artifacts of others are refused")
  func add() async throws {
    let mirror = FakeMirror(limits: Limits(repositories: 2, attempts: 1))
    #expect(
      try await mirror.answer("GET apps/one") == Answer(.unknown, "There is no such repository; ADD it first."))
    for _ in 0..<2 { #expect(try await mirror.answer("ADD apps") == Answer(.ok)) }
    mirror.upstream.fetches.when("apps/one").reply(.of("one"))
    #expect(try await mirror.answer("GET apps/one").text == "one")
    #expect(
      try await mirror.answer("ADD more")
        == Answer(.busy, "Refused: the mirror has 2 repositories; REMOVE one first."))
    await mirror.finish()
  }

  @Test("The removal of a repository ends its fetches and forgets its copies")
  func remove() async throws {
    let mirror = FakeMirror()
    let held = mirror.upstream.fetches.hold()
    let get = mirror.get("zlib")
    try await held.arrived()
    for _ in 0..<2 { #expect(try await mirror.answer("REMOVE libs") == Answer(.ok)) }
    #expect(await get.outcome.kind == .cancelled)
    #expect(await mirror.store.state == Mirror.State())
    await mirror.finish()
  }

  @Test("A repository whose upstream fails has a breaker of its own")
  func breakers() async throws {
    let mirror = FakeMirror(limits: Limits(attempts: 1, breaker: Plan.Breaker(failures: 1)))
    _ = try await mirror.answer("ADD apps")
    mirror.upstream.fetches.when("libs/a").fail(UpstreamFailure(description: "busy"))
    mirror.upstream.fetches.when("apps/a").reply(.of("one"))
    _ = try await mirror.answer("GET libs/a")
    #expect(try await mirror.answer("GET libs/a").word == .busy)
    #expect(try await mirror.answer("GET apps/a").text == "one")
    await mirror.finish()
  }
}
