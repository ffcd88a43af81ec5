#if SQLite
  import Millrace
  import MillraceJournal

  /// Sends actions to many keys, of which few are in memory, and acknowledges each outcome, until the process is killed.
  struct KeysProgram {
    static let keys = (0..<24).map { "k\($0)" }

    /// The distance between two numbers that are handled alike.
    private static let kinds = 8

    /// The time in milliseconds after which a timer is due that no process lives to see.
    private static let far: Int64 = 3_600_000

    private let stores: Stores<String, Numbers>

    init(_ journal: SQLiteJournal) async throws {
      var options = JournalOptions()
      // A snapshot each time, however large the state has become.
      (options.snapshotRecords, options.snapshotGrowth) = (20, 0)
      stores = try await Stores<String, Numbers>.open(
        name: "numbers", journal: journal, limits: StoresLimits(live: 6, idle: .milliseconds(2), opening: 3),
        options: options, initial: { _ in Numbers.State() }, feedbacks: { _ in [.timers(of: \.timers) { .fire($0) }] },
        interactor: { _ in Numbers() })
    }

    /// The key to which a number is sent.
    private static func key(of number: Int) -> String {
      keys[(number / 3 + number / Program.numbers * 5) % keys.count]
    }

    /// Whether a number is noted by a handler.
    static func isHandled(_ number: Int) -> Bool { [2, 5, 6].contains(number % kinds) }

    /// Sends the actions of a life, and writes the states with which it begins.
    func run(life: Int) async throws {
      // Each second process sends while it reads the states.
      if !life.isMultiple(of: 2) { try await writeStates() }
      try await withThrowingDiscardingTaskGroup { group in
        if life.isMultiple(of: 2) { group.addTask { try await writeStates() } }
        // The actions of the process before are sent again with their keys, so that each of them is done once.
        for life in max(life - 1, 0)...life {
          group.addTask { await sendAtOnce(from: Program.first(of: life, sender: 0)) }
        }
        for sender in 1...Program.senders {
          group.addTask { await send(from: Program.first(of: life, sender: sender)) }
        }
      }
    }

    /// Waits until all runs and all timers that are due soon have ended, and writes the states.
    func end() async throws {
      let soon = StoreConfiguration().wallTime() + Self.far / 2
      for key in Self.keys {
        try await stores.wait(for: key) { $0.begun.isEmpty && $0.timers.earliest ?? .max > soon }
      }
      try await writeStates()
      await stores.shutdown(drainFor: .seconds(30))
    }

    private func writeStates() async throws {
      for key in Self.keys {
        let state = try await stores.state(of: key)
        Program.write(KeyLine.state(key: key, noted: state.noted, pending: state.timers.due(by: .max)).line)
      }
    }

    /// Sends many actions with keys before it waits for the outcomes.
    private func sendAtOnce(from first: Int) async {
      let numbers = (0..<Program.burst).map { first + $0 * Self.kinds + ($0.isMultiple(of: 3) ? 4 : 6) }
      let receipts = numbers.map { send($0) }
      for (number, receipt) in zip(numbers, receipts) { await acknowledge(receipt, number) }
    }

    /// Sends one action after the other.
    private func send(from first: Int) async {
      for number in first..<first + Program.numbers {
        await acknowledge(send(number), number)
        if number.isMultiple(of: 16) { await stores.hibernate(Self.key(of: number)) }
      }
    }

    /// Sends the action of a number, with a key or without one.
    private func send(_ number: Int) -> Receipt {
      let key = Self.key(of: number)
      switch number % Self.kinds {
      case 0, 3: return stores.send(.note(number), to: key)
      case 4: return stores.send(.note(number), to: key, key: "\(number)")
      case 2, 5: return stores.send(.work(number), to: key)
      case 6: return stores.send(.work(number), to: key, key: "\(number)")
      case let kind:
        let delay = kind == 7 ? Self.far : Int64(number / Self.kinds % 30)
        return stores.send(.set(number, at: StoreConfiguration().wallTime() + delay), to: key)
      }
    }

    private func acknowledge(_ receipt: Receipt, _ number: Int) async {
      guard await receipt.outcome.kind == .finished else { return }
      let revision = await receipt.lastRevision
      Program.write(KeyLine.done(key: Self.key(of: number), number: number, revision: revision).line)
    }
  }
#endif
