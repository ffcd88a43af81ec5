public import Millrace

/// A kind of load: its virtual users, and their requests.
///
/// ```swift
/// let carts = LoadScenario("carts", rate: 2_000, users: 100) { user in
///   Store(initial: Cart.State(), interactor: Cart(gateway: FakeShop()))
/// } action: { request in
///   .add(item: request.number)
/// }
/// let pages = LoadScenario("pages", rate: 500) { request in
///   try await client.get("/page/\(request.number % 100)")
/// }
/// ```
///
/// A scenario is a value and may be run any number of times, each time with new users.
public struct LoadScenario: Sendable {
  /// The name by which a command line chooses it.
  public let name: String

  /// One sentence for the help text.
  public var summary: String

  /// The rate of a run that names none.
  public var rate: LoadRate

  /// The number of virtual users of a run that names none, at least 1.
  public var users: Int

  /// The URL that it loads, as it may be shown; nil where there is none.
  package var target: String?

  /// Creates the users of one run.
  let makeUser: @Sendable (_ user: Int, _ seed: UInt64) async throws -> any LoadTarget

  /// A scenario whose virtual users the caller makes, with the seed of the run.
  package init(
    _ name: String, summary: String, rate: LoadRate, users: Int,
    makeUser: @escaping @Sendable (_ user: Int, _ seed: UInt64) async throws -> any LoadTarget
  ) {
    self.name = name
    self.summary = summary
    self.rate = rate
    self.users = users
    self.makeUser = makeUser
  }

  /// A scenario whose requests are actions: each virtual user is an interactor with a store of its own.
  ///
  /// A request ends when its action has its `Outcome`. Rejected actions are counted apart.
  ///
  /// - Parameters:
  ///   - name: the name by which a command line chooses it.
  ///   - summary: one sentence for the help text.
  ///   - rate: the rate of a run that names none, such as `1_000` requests a second.
  ///   - users: the number of virtual users of a run that names none.
  ///   - store: makes the store of a user, before the run; its error ends the run. The run shuts the store down at its end.
  ///   - action: makes the action of a request, on the thread that sends it; it has to be fast.
  public init<I: Interactor>(
    _ name: String, summary: String = "", rate: LoadRate = 1_000, users: Int = 1,
    store: @escaping @Sendable (_ user: Int) async throws -> Store<I>,
    action: @escaping @Sendable (LoadRequest) -> I.Action
  ) {
    self.init(name, summary: summary, rate: rate, users: users) { user, _ in
      StoreTarget(store: try await store(user), action: action)
    }
  }

  /// A scenario whose requests are calls of a closure, each in a task of its own.
  ///
  /// A call that returns has finished; one that throws `CancellationError` is cancelled, and one that throws another error has
  /// failed. At the end of a run the tasks of calls that have not returned are cancelled.
  ///
  /// - Parameters:
  ///   - name: the name by which a command line chooses it.
  ///   - summary: one sentence for the help text.
  ///   - rate: the rate of a run that names none, such as `1_000` requests a second.
  ///   - users: the number of virtual users of a run that names none.
  ///   - perform: performs one request; it may be called concurrently.
  public init(
    _ name: String, summary: String = "", rate: LoadRate = 1_000, users: Int = 1,
    perform: @escaping @Sendable (LoadRequest) async throws -> Void
  ) {
    self.init(name, summary: summary, rate: rate, users: users) { _ in
    } perform: { (_: Void, request) in
      try await perform(request)
    }
  }

  /// A scenario whose requests are calls of a closure with the client of a user, such as a connection.
  ///
  /// Calls end as for ``init(_:summary:rate:users:perform:)``. The client is released at the end of a run.
  ///
  /// - Parameters:
  ///   - name: the name by which a command line chooses it.
  ///   - summary: one sentence for the help text.
  ///   - rate: the rate of a run that names none, such as `1_000` requests a second.
  ///   - users: the number of virtual users of a run that names none.
  ///   - client: makes the client of a user, before the run; its error ends the run.
  ///   - perform: performs one request; it may be called concurrently, also for one client.
  public init<Client: Sendable>(
    _ name: String, summary: String = "", rate: LoadRate = 1_000, users: Int = 1,
    client: @escaping @Sendable (_ user: Int) async throws -> Client,
    perform: @escaping @Sendable (Client, LoadRequest) async throws -> Void
  ) {
    self.init(name, summary: summary, rate: rate, users: users, client: client) { client, request in
      do {
        try await perform(client, request)
        return LoadEnd(.finished)
      } catch is CancellationError {
        return LoadEnd(.cancelled)
      } catch {
        return LoadEnd(.failed(error))
      }
    }
  }

  /// A scenario whose requests are calls of a closure that says itself how each ended.
  package init<Client: Sendable>(
    _ name: String, summary: String = "", rate: LoadRate = 1_000, users: Int = 1,
    client: @escaping @Sendable (_ user: Int) async throws -> Client,
    end: @escaping @Sendable (Client, LoadRequest) async -> LoadEnd
  ) {
    self.init(name, summary: summary, rate: rate, users: users) { user, _ in
      let client = try await client(user)
      let store = client as? any LoadedStore
      return ClosureTarget(stores: store.map { [$0] } ?? []) { await end(client, $0) }
    }
  }

  /// A scenario whose requests come from others, chosen at random by weight.
  ///
  /// Each user is a user of all parts. The choice is the same for the same seed.
  ///
  /// - Parameters:
  ///   - name: the name by which a command line chooses it.
  ///   - summary: one sentence for the help text.
  ///   - rate: the rate of a run that names none, such as `1_000` requests a second.
  ///   - users: the number of virtual users of a run that names none.
  ///   - parts: the scenarios, each with the share of requests it gets relative to the others; weights of 0 and less, and
  ///     those that are no numbers, get none.
  public init(
    _ name: String, summary: String = "", rate: LoadRate = 1_000, users: Int = 1,
    mixing parts: [(weight: Double, scenario: LoadScenario)]
  ) {
    let parts = parts.filter { $0.weight > 0 && $0.weight.isFinite }
    self.init(name, summary: summary, rate: rate, users: users) { user, seed in
      guard !parts.isEmpty else {
        throw LoadError("\(name) mixes no scenario; give at least one a weight above 0.")
      }
      var (targets, end) = ([(end: Double, target: any LoadTarget)](), 0.0)
      for part in parts {
        end += part.weight
        targets.append((end, try await part.scenario.makeUser(user, seed)))
      }
      return MixedTarget(parts: targets, seed: seed)
    }
  }
}

extension LoadScenario {
  /// Runs this scenario once, and returns its figures.
  ///
  /// It makes the users, sends requests for the warm-up and the measured part, waits for those in flight, and closes the users.
  ///
  /// ```swift
  /// let report = try await carts.run(LoadOptions(.schedule(.poisson(500)), duration: .seconds(2)))
  /// #expect(report.latency.p99 <= report.latency.p50 * 3)
  /// ```
  ///
  /// **Cancellation** of the calling task ends the run early: nothing more is sent, requests in flight are not waited for, and the
  /// report covers the time until then.
  ///
  /// - Parameter options: the rate, the duration and the users.
  /// - Throws: ``LoadError`` for options that no run can have, and for a rate that is a multiple of the capacity where no request
  ///   finished while that was measured; the error of the scenario when it makes a user. Requests that fail are counted, and no error.
  @concurrent
  public func run(_ options: LoadOptions = LoadOptions()) async throws -> LoadReport {
    try options.check(for: self)
    let session = try await LoadSession(self, options)
    let report = try await session.run(options)
    await session.close()
    return report
  }
}
