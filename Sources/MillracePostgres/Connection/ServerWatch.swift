#if Postgres
  import Millrace
  import MillraceJournal

  /// The server as the connections of a journal have seen it, for the life of the journal: its identity, its settings, and the ends of its partitions.
  final class ServerWatch: Sendable {
    private struct State {
      var query = IdentityQuery.whole
      var identity: ServerIdentity?
      /// The kinds of settings that were reported.
      var reported: Set<String> = []
      var known = KnownPartitions()
      /// The number of times that a connection has shown that the address leads to another server.
      var moves = 0
    }

    private let tables: PostgresTables
    private let isReading: Bool
    private let report: @Sendable (Incident) -> Void
    private let state = Lock(State())

    init(_ tables: PostgresTables, _ options: PostgresOptions) {
      self.tables = tables
      isReading = options.isReading
      report = options.report
    }

    // MARK: The server

    /// The columns by which a statement reads the identity of the server; see ``note(_:_:from:on:)``.
    var identityColumns: String { state.withLock { $0.query.columns } }

    /// Reads the identity and the settings of the server of a new connection, and compares the known partitions with it.
    func check(_ connection: PostgresConnection) throws(PostgresFailure) {
      // A replica is often behind its primary, and two replicas are not equally far.
      if isReading { return }
      while true {
        let query = state.withLock { $0.query }
        do throws(PostgresFailure) {
          let found = try connection.run([PostgresStatement("select \(query.columns), \(ServerSettings.columns)")])[0]
          reportSettings(ServerSettings(found, from: IdentityQuery.columnCount))
          if !didChange(ServerIdentity(found, from: 0)) { try compareAll(on: connection) }
          return
        } catch {
          // The server, or the role, may not know where its log ends, or what it is.
          guard error.isOfFunction, let next = query.next else { throw error }
          state.withLock { $0.query = next }
        }
      }
    }

    /// The number of times that a connection has shown that the address leads to another server, or that its server takes no more statements.
    ///
    /// A connection that was made before the last time may be to a server that takes no writes and still answers reads.
    var moves: Int { state.withLock { $0.moves } }

    func didMove() { state.withLock { $0.moves += 1 } }

    /// Compares the identity that a statement has read, and the known partitions if it has changed.
    func note(_ result: PostgresResult, from column: Int, on connection: PostgresConnection) throws(PostgresFailure) {
      guard !result.rows.isEmpty else { return }
      if didChange(ServerIdentity(result, from: column)) { try compareAll(on: connection) }
    }

    /// Notes an identity, and reports if it is another one than before.
    private func didChange(_ identity: ServerIdentity) -> Bool {
      let before = state.withLock { state in
        defer { state.identity = identity }
        return state.identity
      }
      guard let before, let change = identity.change(since: before) else { return false }
      didMove()
      report(Incident(.changedServer, of: PostgresJournal.self, change))
      return true
    }

    private func reportSettings(_ settings: ServerSettings) {
      for (name, text) in settings.findings where state.withLock({ $0.reported.insert(name).inserted }) {
        report(Incident(.unsafeServer, of: PostgresJournal.self, text))
      }
    }

    // MARK: The partitions

    /// The ends that are known now; a read that begins later is compared with them.
    var ends: [JournalPartition: KnownPartitions.End] { state.withLock { $0.known.ends } }

    /// Notes the last records that this process has stored.
    func didStore(_ stored: [JournalPartition: (JournalBatch.ID, JournalPosition)]) {
      state.withLock { state in
        for (partition, (batch, position)) in stored { state.known.didStore(batch, at: position, in: partition) }
      }
    }

    func didClaim(_ claims: [JournalClaim]) {
      state.withLock { state in for claim in claims { state.known.didClaim(claim) } }
    }

    func loss(of claim: JournalClaim) -> JournalLoss? { state.withLock { $0.known.loss(of: claim) } }

    func losses(of stores: String) -> JournalLosses { state.withLock { $0.known.losses(of: stores) } }

    /// Compares partitions with the ends that were known before they were read, and reports the losses.
    func compare(_ found: [KnownPartitions.Found], with before: [JournalPartition: KnownPartitions.End]) {
      if isReading { return }
      for loss in state.withLock({ $0.known.compare(found, with: before) }) {
        report(
          Incident(
            .lostRecords, of: PostgresJournal.self, error: JournalError(.lost, loss.description), loss.description))
      }
    }

    /// Reads the ends of all known partitions, and compares them.
    private func compareAll(on connection: PostgresConnection) throws(PostgresFailure) {
      let before = ends
      if before.isEmpty { return }
      let ends = EndStatement(before, tables)
      do throws(PostgresFailure) {
        compare(ends.found(in: try connection.read([ends.statement])[0]), with: before)
      } catch {
        // Without its tables, or a right, the server refuses the calls too.
        guard case .refused = error, error.leavesConnection else { throw error }
      }
    }
  }
#endif
