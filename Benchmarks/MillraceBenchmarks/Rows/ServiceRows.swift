import Millrace

/// The number of tasks that send requests, each when its last one has ended, and the number of keys.
private let (clients, keys) = (1_000, 100)

/// A service: nearly all of its time it waits, so the processor time of a request is what it costs.
let serviceRows: [Row] = [
  reference("concurrent", .concurrent), row("concurrent", .concurrent), reference("serial", .serial),
  row("serial", .serial), reference("latest", .latest), row("latest", .latest),
]

private func row(_ name: String, _ overlap: PlannedAction.Overlap) -> Row {
  Row(name: "service/\(name)", unit: "cpu ns", reference: "reference/actor-\(name)", gate: .severalThreads) { size in
    var configuration = StoreConfiguration()
    configuration.report = { _ in }  // Of a superseded run's late emit, which is no news here.
    let store = Store(initial: Tally(), interactor: Serving(), configuration: configuration)
    return await requests(overlap, size) { _ = await store.send($0).outcome }
  }
}

private func reference(_ name: String, _ overlap: PlannedAction.Overlap) -> Row {
  Row(name: "reference/actor-\(name)", unit: "cpu ns") { size in
    let actor = ServingActor()
    return await requests(overlap, size) { await actor.serve($0) }
  }
}

/// Processor time of a request.
private func requests(
  _ overlap: PlannedAction.Overlap, _ size: Size, _ serve: @escaping @Sendable (Request) async -> Void
) async -> Figure {
  let each = max(size.scaled(30_000) / clients, 1)
  let figure = await perItem(clients * each) {
    await withTaskGroup(of: Void.self) { group in
      for client in 0..<clients {
        group.addTask {
          for _ in 0..<each { await serve(Request(overlap: overlap, key: client % keys)) }
        }
      }
    }
  }
  return Figure(value: figure.cpu ?? .nan, cpu: figure.cpu, allocations: figure.allocations)
}
