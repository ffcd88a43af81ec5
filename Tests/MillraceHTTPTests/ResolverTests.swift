import Foundation
import MillraceSilentNames
import MillraceTesting
import Testing

@testable import MillraceHTTP

@Suite("Resolver", .timeLimit(.minutes(1)))
struct ResolverTests {
  @Test("An address is its own and is not looked up")
  func address() async throws {
    let resolver = Resolver { _ in [] }
    for text in ["127.0.0.1", "::1"] { #expect(try await resolver.addresses(of: text) == [text]) }
    await #expect(throws: TransferFailure.unknownHost) { try await resolver.addresses(of: "127.1") }
  }

  @Test("The system knows this machine, and says so when it does not know a name")
  func system() async throws {
    let addresses = try await Resolver().addresses(of: "localhost")
    #expect(!addresses.isEmpty && Set(addresses).isSubset(of: ["127.0.0.1", "::1"]))
    await #expect(throws: TransferFailure.unknownHost) { try await Resolver().addresses(of: "no..host") }
  }

  @Test("An error of the look-up reaches every task that waits for the name, and the next task looks it up again")
  func failure() async throws {
    let names = SilentNames()
    let resolver = Resolver(lookUp: names.lookUp)
    let waiting = (0..<3).map { _ in Task.immediate { try await resolver.addresses(of: "silent.test") } }
    #expect(try await names.lookedUp.next() == "silent.test")
    names.answer()
    for task in waiting {
      await #expect(throws: TransferFailure.silentNameServer) { try await task.value }
    }
    await #expect(throws: TransferFailure.silentNameServer) {
      try await resolver.addresses(of: "silent.test")
    }
    #expect(names.lookedUp.recorded.count == 2)
  }

  @Test("A cancelled task does not wait for the name server, before and after the look-up has begun")
  func cancelled() async throws {
    let names = SilentNames()
    defer { names.answer() }
    let resolver = Resolver(lookUp: names.lookUp)
    let task = Task { try await resolver.addresses(of: "silent.test") }
    _ = try await names.lookedUp.next()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let late = Task.immediate {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await resolver.addresses(of: "silent.test")
    }
    await #expect(throws: CancellationError.self) { try await late.value }
    // Both have asked for the one look-up that is still out.
    #expect(names.lookedUp.recorded.count == 1)
  }

  @Test("Beyond the bound on threads a name waits for its turn, and gets it when another one has its answer")
  func bound() async throws {
    let names = SilentNames()
    let resolver = Resolver(threads: 1, lookUp: names.lookUp)
    let silent = Task.immediate { try await resolver.addresses(of: "silent.test") }
    _ = try await names.lookedUp.next()
    let waiting = Task.immediate { try await resolver.addresses(of: "healthy.test") }
    #expect(names.lookedUp.recorded == ["silent.test"])
    names.answer()
    #expect(try await waiting.value == ["127.0.0.1"])
    await #expect(throws: TransferFailure.self) { try await silent.value }
  }
}
