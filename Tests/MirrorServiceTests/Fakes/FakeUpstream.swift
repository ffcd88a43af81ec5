import Foundation
import Millrace
import MillraceSocket
import MillraceTesting
import Testing

@testable import MirrorService

/// An upstream whose answers are scripted.
struct FakeUpstream: Upstream, FakeGateway {
  struct Publication: Equatable {
    let path: String
    let bytes: Data
    let idempotencyKey: String
  }

  let fetches: FakeCall<String, Artifact>
  let publications: FakeCall<Publication, Artifact>

  init(file: StaticString = #filePath, line: UInt = #line) {
    fetches = FakeCall("fetch", file: file, line: line)
    publications = FakeCall("publish", file: file, line: line)
  }

  func fetch(_ path: String) async throws -> Artifact { try await fetches(path) }

  func publish(_ bytes: Data, as path: String, idempotencyKey: String) async throws -> Artifact {
    try await publications(Publication(path: path, bytes: bytes, idempotencyKey: idempotencyKey))
  }
}

extension Artifact {
  /// A copy of a text that is valid for a minute from a time.
  static func of(_ text: String?, at now: Duration = .zero) -> Artifact {
    Artifact(text.map { Data($0.utf8) }, until: now + .seconds(60))
  }
}

extension Answer {
  var text: String { String(decoding: body, as: UTF8.self) }
}

/// A mirror with one repository, whose upstream is a fake and whose time a test moves.
struct FakeMirror {
  let upstream: FakeUpstream
  let clock: TestClock
  let store: Store<Mirror>
  let service: MirrorService

  init(
    limits: Limits = .fake, store storeLimits: StoreConfiguration.Limits = StoreConfiguration.Limits(),
    file: StaticString = #filePath,
    line: UInt = #line
  ) {
    let clock = TestClock()
    upstream = FakeUpstream(file: file, line: line)
    store = Store(
      initial: .libs(limits), interactor: Mirror(upstream: upstream, limits: limits),
      configuration: StoreConfiguration(clock: clock, limits: storeLimits) { incident in
        Issue.record("Nothing may be left to the store to report: \(incident)")
      })
    service = MirrorService(store: store, now: { clock.now.offset })
    self.clock = clock
  }

  /// Sends a GET, which is accepted or refused when this returns.
  func get(_ name: String) -> Receipt {
    store.send(.repository("libs", .get(name, at: clock.now.offset)))
  }

  /// Sends a PUT, which is accepted or refused when this returns.
  func put(_ name: String, _ text: String) -> Receipt {
    store.send(.repository("libs", .put(name, Data(text.utf8))))
  }

  /// The answer to a client's line.
  func answer(_ line: String, body: String = "") async throws -> Answer {
    await service.answer(try Request(line, largest: 100), body: Data(body.utf8))
  }

  func finish(file: StaticString = #filePath, line: UInt = #line) async {
    await store.shutdown()
    await upstream.finish(file: file, line: line)
  }
}

extension Limits {
  /// One attempt, so that a test has to script one answer.
  static let fake = Limits(attempts: 1)
}

extension Mirror.State {
  /// The state with an empty repository.
  static func libs(_ limits: Limits = .fake) -> Mirror.State {
    Mirror.State(repositories: ["libs": Repository.State(name: "libs", capacity: limits.capacity)])
  }

  var libs: Repository.State? { repositories["libs"] }
}
