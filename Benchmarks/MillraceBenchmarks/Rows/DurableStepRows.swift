#if SQLite
  import Millrace
  import MillraceJournal

  /// Steps of a store with a journal in a file, beside results that are inserted by hand.
  let durableStepRows: [Row] =
    [1, 1_000].flatMap { runs in
      [
        Row(name: "reference/insert-result-\(runs)") { size in
          let folder = try TemporaryFolder()
          defer { folder.remove() }
          let log = try GroupCommit(folder.path("log"), hasChecksums: true)
          defer { log.close() }
          let coder = JSONJournalCoder()
          let each = steps(size, runs)
          return try await perItem(runs * each) {
            try await withThrowingTaskGroup(of: Void.self) { group in
              for run in 0..<runs {
                group.addTask {
                  for number in 0..<each {
                    let value = String(decoding: try coder.encode([Bookings.Booking(number)]), as: UTF8.self)
                    let head = StepLine(
                      run: UInt64(run), step: .init(kind: "step", name: "\(number)", value: .init(text: value)))
                    await log.append(try GroupCommit.Entry(7, head: head, mutation: Bookings.Mutation?.none, coder))
                  }
                }
              }
              try await group.waitForAll()
            }
          }
        },
        Row(
          name: "step/durable-\(runs)", reference: "reference/insert-result-\(runs)", target: 1.3, gate: .severalThreads
        ) { size in
          let folder = try TemporaryFolder()
          defer { folder.remove() }
          let journal = try await SQLiteJournal(folder.path("log"))
          let each = steps(size, runs)
          let store = try await open(journal) { run in
            for number in 0..<each { _ = try await run.step("\(number)") { _ in Bookings.Booking(number) } }
          }
          let figure = await perItem(runs * each) {
            await withTaskGroup { group in
              for run in 0..<runs { group.addTask { _ = await store.send(run).outcome } }
            }
          }
          await store.shutdown()
          await journal.close()
          return figure
        },
      ]
    } + resumeRows

  /// The number of steps of each run.
  private func steps(_ size: Size, _ runs: Int) -> Int {
    switch size {
    case .full: runs == 1 ? 300 : 20
    case .short: runs == 1 ? 50 : 5
    case .quick: runs == 1 ? 8 : 1
    }
  }

  // MARK: Opening

  /// The opening of a log with one open run: nanoseconds a step that it has, or a mutation that it has emitted.
  private let resumeRows: [Row] = [
    Row(name: "reference/resume-emits") { try await resume($0, bySteps: false) },
    Row(name: "step/resume-10000", reference: "reference/resume-emits", target: 1.3, gate: .severalThreads) {
      try await resume($0, bySteps: true)
    },
  ]

  private func resume(_ size: Size, bySteps: Bool) async throws -> Figure {
    let count = max(size.scaled(9_999), 1)
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let journal = try await SQLiteJournal(folder.path("log"))
    let reached = AsyncStream.makeStream(of: Void.self)
    let first = try await open(journal) { run in
      if bySteps {
        await withTaskGroup { group in
          for number in 0..<count {
            group.addTask { _ = try? await run.step("\(number)") { _ in Bookings.Booking(number) } }
          }
        }
      } else {
        for number in 0..<count { run.emit(Bookings.Booking(number)) }
        _ = try await run.step("last") { _ in 1 }
      }
      reached.continuation.yield()
      try await Task.sleep(for: .seconds(3_600))
    }
    first.send(1)
    var iterator = reached.stream.makeAsyncIterator()
    await iterator.next()
    let figure = try await perItem(count) {
      let store = try await open(journal) { _ in }
      await store.shutdown(drainFor: .seconds(60))
    }
    await first.shutdown()
    await journal.close()
    return figure
  }

  private func open(_ journal: SQLiteJournal, _ handling: @escaping Stepping.Handling) async throws -> Store<Stepping> {
    var configuration = StoreConfiguration()
    configuration.report = { _ in }  // Of the steps that the second handler does not ask for.
    return try await Store.open(
      initial: 0, interactor: Stepping(handling: handling), journal: journal, key: "steps",
      configuration: configuration,
      options: .ofBookings)
  }

  /// Handlers whose actions are handled again.
  private struct Stepping: Interactor {
    typealias Handling = @Sendable (Run<Stepping>) async throws -> Void

    let handling: Handling

    func plan(for action: Int, state: Int) -> Plan { .concurrent.recovery(.handleAgain) }

    func handle(_ action: Int, state: Int) -> Effect<Self> { Effect(handling) }

    static func reduce(into state: inout Int, mutation: Bookings.Booking) { state &+= mutation.cents }
  }

  /// The head of a step's entry, by hand.
  private struct StepLine: Codable {
    struct Step: Codable {
      let kind: String
      let name: String
      let value: Value
    }

    struct Value: Codable {
      let text: String
    }

    let run: UInt64
    let step: Step
  }
#else
  /// Steps of a store with a journal in a file, which builds with the trait SQLite have.
  let durableStepRows: [Row] = []
#endif
