#if SQLite
  // snippet.durable
  import Dispatch
  import Glibc
  import Millrace
  import MillraceJournal

  /// The balances of accounts, in cents.
  struct Accounts: Interactor {
    enum Action: Codable { case deposit(Int, account: String) }
    enum Mutation: Codable { case deposited(Int, account: String) }
    struct State: Codable { var cents: [String: Int] = [:] }

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .deposit(let cents, let account): .mutate(.deposited(cents, account: account))
      }
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> { .none }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .deposited(let cents, let account): state.cents[account, default: 0] += cents
      }
    }
  }

  /// Deposits the amount of a line, once for its key, and returns the answer to the client.
  func answer(_ line: String, at store: Store<Accounts>) async -> String {
    let words = line.split(separator: " ").map(String.init)
    guard words.count == 3, let cents = Int(words[2]) else { return "Write KEY ACCOUNT CENTS." }
    do {
      let balance = try await store.request(
        .deposit(cents, account: words[1]), key: words[0], returning: { $0.cents[words[1], default: 0] })
      return "\(words[0]) done, balance \(balance)"  // Here the deposit survives a crash of the machine.
    } catch {
      return "\(words[0]) unknown: \(error)"  // The client repeats the line with its key.
    }
  }

  do {
    let journal = try await SQLiteJournal(CommandLine.arguments[1])
    let store = try await Store.open(
      initial: Accounts.State(), interactor: Accounts(), journal: journal, key: "accounts",
      interceptors: [LoggingInterceptor()])
    print("open with \(await store.state.cents.count) accounts")
    let service = Task { await store.run(drainFor: .seconds(10)) }

    // The lines of standard input, in place of a server's requests; reading blocks, so it has a thread of its own.
    let (lines, input) = AsyncStream.makeStream(of: String.self)
    DispatchQueue.global().async {
      while let line = readLine() { input.yield(line) }
      input.finish()
    }
    let queue = DispatchQueue(label: "signals")  // Handlers that block the pool do not hold it up.
    let signals = DispatchSource.makeSignalSource(signal: SIGTERM, queue: queue)
    signals.setEventHandler {
      input.finish()
      // A pool whose threads are blocked ends nothing in order.
      queue.asyncAfter(deadline: .now() + 12) { _exit(EXIT_FAILURE) }
    }
    signals.activate()
    // A journal that fails for good ends the store, and the program with it.
    Task {
      await service.value
      input.finish()
    }

    for await line in lines {
      print(await answer(line, at: store))
      fflush(nil)  // Standard output into a pipe or a file is buffered.
    }
    service.cancel()
    await service.value
    let report = await store.shutdown()
    await journal.close()
    print("stopped: \(report)")
    exit(report.isClean ? EXIT_SUCCESS : EXIT_FAILURE)
  } catch {
    print("cannot open the journal: \(error)")  // The sentence has the fix.
    exit(EX_CANTCREAT)
  }
// snippet.end
#else
  print("MillraceDurableMain is built without the trait SQLite; build it with 'swift build --traits SQLite'.")
#endif
