import Millrace
import Testing

@testable import MillraceTesting

/// The outbox of docs/simulation.md, as it stands there.
@Suite("OutboxSnippets")
struct OutboxSnippets {
  // snippet.Outbox
  struct Outbox: Sendable {
    let storage: World.Storage

    /// Half a line, which a crash may leave, is cut off, so that nothing is added to it.
    func open() async {
      for file in ["messages", "delivered"] {
        let bytes = await storage.read(file) ?? []
        await storage.write(bytes.prefix(bytes.lastIndex(of: 10).map { $0 + 1 } ?? 0), to: file)
        await storage.sync(file)
      }
    }

    func add(_ message: String) async {
      await storage.append("\(message)\n".utf8, to: "messages")
      await storage.sync("messages")
    }

    func deliver(by send: @Sendable (String) async throws -> Void) async throws {
      let delivered = await lines("delivered").count
      for message in await lines("messages").dropFirst(delivered) {
        try await send(message)
        await storage.append("\(message)\n".utf8, to: "delivered")
        await storage.sync("delivered")
      }
    }

    private func lines(_ file: String) async -> [String] {
      String(decoding: await storage.read(file) ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }
  // snippet.end

  // snippet.outbox
  static func outbox(in world: World) async throws {
    let node = world.node("shop")
    let (added, taken) = (Recorder<String>(), Recorder<String>())
    let send: @Sendable (String) async throws -> Void = { message in
      try await world.clock.sleep(for: world.duration(in: .zero ... .seconds(1)))
      taken.record(message)
    }
    for life in 0..<3 {
      node.run {
        let outbox = Outbox(storage: node.storage)
        await outbox.open()
        for number in 0..<3 {
          await outbox.add("\(life).\(number)")
          added.record("\(life).\(number)")
          try await outbox.deliver(by: send)
        }
      }
      await world.pause(upTo: 40)
      node.crash()
    }
    await node.run {
      await Outbox(storage: node.storage).open()
      try await Outbox(storage: node.storage).deliver(by: send)
    }.value
    let once = taken.recorded.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
    world.expect(once == Set(once).sorted(), "messages are delivered in order, and only the last one again")
    world.expect(Set(added.recorded).isSubset(of: once), "each message that was added is delivered")
  }
  // snippet.end

  @Test("Messages are delivered at least once and in order, through crashes at any step")
  func outbox() async {
    let report = await Simulation.run(seeds: 0..<1_000) { try await Self.outbox(in: $0) }
    #expect(report.failingPlan == nil && report.leftOverTasks == 0)
  }
}
