#if Postgres
  import Millrace
  import MillraceJournal

  /// The leases of the members that this process has joined as, and what is due for them.
  ///
  /// The tasks of the stores renew them, and so show that the pool of threads lives. While these are late, as when handlers never suspend, the journal renews
  /// in their place, up to six leases after the last sign of life: a process that hangs for good must lose its partitions. The count begins anew when the
  /// journal was late itself by a lease or more.
  struct KeptLeases: Sendable {
    private struct Lease {
      let time: Duration
      /// The last attempt to renew it.
      var renewed: ContinuousClock.Instant
      /// The last sign of life of the pool.
      var sign: ContinuousClock.Instant

      /// The next renewal in place of the pool, which renews after a quarter of the lease.
      var next: ContinuousClock.Instant { renewed + time * 3 / 8 }
    }

    /// What is due for a member.
    enum Duty: Hashable {
      case renew(JournalMember.ID, Duration)
      /// The pool was silent for this time, and the lease is not renewed any longer.
      case giveUp(JournalMember.ID, after: Duration)
    }

    /// The number of leases without a sign of life of the pool, after which they are not renewed any longer.
    static let longestSilence = 6

    private var leases: [JournalMember.ID: Lease] = [:]

    /// Notes that a task has joined or renewed a lease.
    mutating func didRenew(_ id: JournalMember.ID, for time: Duration, at now: ContinuousClock.Instant) {
      leases[id] = time > .zero ? Lease(time: time, renewed: now, sign: now) : nil
    }

    /// Notes that a task has called, or gets an answer now.
    mutating func noteSign(_ id: JournalMember.ID, at now: ContinuousClock.Instant) { leases[id]?.sign = now }

    /// Forgets a member that has left, or whose lease has ended.
    mutating func remove(_ id: JournalMember.ID) { leases[id] = nil }

    /// The time until something is due; nil if there is no lease.
    func pause(at now: ContinuousClock.Instant) -> Duration? {
      leases.values.map { max(.zero, $0.next - now) }.min()
    }

    /// Takes what is due.
    mutating func takeDue(at now: ContinuousClock.Instant) -> [Duty] {
      var duties: [Duty] = []
      for (id, lease) in leases where lease.next <= now {
        let limit = lease.time * Self.longestSilence
        // The process was stopped, or its server did not answer, so that nobody could call.
        let isLateItself = now - lease.next >= lease.time
        if isLateItself { leases[id]?.sign = now }
        if now - lease.sign >= limit, !isLateItself {
          leases[id] = nil
          duties.append(.giveUp(id, after: limit))
        } else {
          leases[id]?.renewed = now
          duties.append(.renew(id, lease.time))
        }
      }
      return duties
    }
  }
#endif
