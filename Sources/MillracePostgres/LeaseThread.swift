#if Postgres
  import Foundation
  import Millrace
  import MillraceJournal

  /// The thread of leases, with a connection of its own, so that no other work delays a renewal.
  struct LeaseThread {
    private let queue: CallQueue<ServerCall>
    private let keeper: LeaseKeeper
    private var link: ServerLink

    init(_ queue: CallQueue<ServerCall>, _ keeper: LeaseKeeper, _ link: ServerLink) {
      self.queue = queue
      self.keeper = keeper
      self.link = link
    }

    mutating func run() {
      while let calls = queue.take(waitingFor: keeper.pause) {
        for call in calls { call.perform(&link) }
        keeper.performDuties(at: .now, on: &link)
      }
      queue.end()
    }
  }

  /// The leases of a journal, and their rows on the server.
  final class LeaseKeeper: Sendable {
    private let statements: ShareStatements
    private let watch: ServerWatch
    private let report: @Sendable (Incident) -> Void
    private let leases = Lock(KeptLeases())

    init(_ tables: PostgresTables, _ watch: ServerWatch, _ options: PostgresOptions) {
      statements = ShareStatements(tables: tables)
      self.watch = watch
      report = options.report
    }

    // MARK: Calls of tasks

    /// Begins the lease of a member, unless another one has replaced it; the process of that one, if it is known, is returned then.
    func join(
      _ member: JournalMember, _ lease: Duration, on link: inout ServerLink
    ) throws(PostgresFailure) -> (isMember: Bool, newcomer: [UInt8]?) {
      let results = try link.use { connection throws(PostgresFailure) in
        try connection.write([
          ShareStatements.localCommit, statements.forgetEnded,
          statements.join(member, milliseconds: lease.wholeMilliseconds), statements.newcomer(of: member),
        ])
      }
      guard !results[2].rows.isEmpty else {
        return (false, results[3].rows.isEmpty ? nil : results[3].bytes(0, 0))
      }
      leases.withLock { $0.didRenew(member.id, for: lease.bounded, at: .now) }
      return (true, nil)
    }

    func renew(
      _ member: JournalMember.ID, _ lease: Duration, on link: inout ServerLink
    ) throws(PostgresFailure) -> Bool {
      // The task waits for the answer until then, and is no less alive.
      defer { noteSign(of: member) }
      guard try store(member, lease, on: &link) else { return false }
      leases.withLock { $0.didRenew(member, for: lease.bounded, at: .now) }
      return true
    }

    func leave(_ member: JournalMember.ID, on link: inout ServerLink) throws(PostgresFailure) {
      leases.withLock { $0.remove(member) }
      try link.use { connection throws(PostgresFailure) in
        _ = try connection.write([ShareStatements.localCommit, statements.leave(member)])
      }
    }

    /// Notes that a task has called for a member.
    func noteSign(of member: JournalMember.ID) { leases.withLock { $0.noteSign(member, at: .now) } }

    // MARK: The thread's

    /// The time until a lease is due; nil if there is none.
    var pause: Duration? { leases.withLock { $0.pause(at: .now) } }

    /// Renews the leases whose tasks are late, and gives those up whose tasks have been silent for too long.
    func performDuties(at now: ContinuousClock.Instant, on link: inout ServerLink) {
      for duty in leases.withLock({ $0.takeDue(at: now) }) {
        switch duty {
        // What fails is tried again, by the task or here, before the lease ends.
        case .renew(let member, let lease): _ = try? store(member, lease, on: &link)
        case .giveUp(_, let time):
          report(
            Incident(
              .unresponsiveProcess, of: PostgresJournal.self,
              """
              The process has not asked for its lease for \(time), \(KeptLeases.longestSilence) times the lease, so the journal no longer renews it \
              and other processes take its partitions; find the handler that blocks a thread without suspending, and move that work off the \
              concurrency pool.
              """))
        }
      }
    }

    /// Renews a lease that has not ended; otherwise it is forgotten, and the process has to join again.
    private func store(
      _ member: JournalMember.ID, _ lease: Duration, on link: inout ServerLink
    ) throws(PostgresFailure) -> Bool {
      let renewal = statements.renew(
        member, milliseconds: lease.wholeMilliseconds, returning: watch.identityColumns)
      let isRenewed = try link.use { connection throws(PostgresFailure) in
        let renewed = try connection.write([ShareStatements.localCommit, renewal])[1]
        try watch.note(renewed, from: 0, on: connection)
        return !renewed.rows.isEmpty
      }
      if !isRenewed { leases.withLock { $0.remove(member) } }
      return isRenewed
    }
  }

  extension Duration {
    /// The milliseconds, from 0 to as many as a lease may have.
    fileprivate var wholeMilliseconds: Int64 { min(max(Int64(bounded / .milliseconds(1)), 0), 1 << 40) }
  }
#endif
