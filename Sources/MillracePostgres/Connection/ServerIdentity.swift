#if Postgres
  /// The columns by which a statement reads which server it runs on, as far as the server and the role allow.
  enum IdentityQuery {
    case whole
    /// Without the timeline, which a server in recovery does not have.
    case system
    case nothing

    /// The columns: the system identifier and the timeline.
    static let columnCount = 2

    var columns: String {
      let system = "(select system_identifier from pg_catalog.pg_control_system())"
      return switch self {
      // The name of a file of the log begins with the timeline. `pg_control_checkpoint()` has the earlier one after a promotion.
      case .whole: "\(system), substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8)"
      case .system: "\(system), null::text"
      case .nothing: "null::bigint, null::text"
      }
    }

    /// The columns to read where these are refused.
    var next: IdentityQuery? {
      switch self {
      case .whole: .system
      case .system: .nothing
      case .nothing: nil
      }
    }
  }

  /// The identity of a database cluster.
  ///
  /// A promotion of a standby, and a restore to a point in time, begin a new timeline.
  struct ServerIdentity: Sendable, Equatable {
    /// The number that a cluster draws when it is made; nil if it is not known.
    var system: UInt64?
    /// The timeline in hexadecimal digits; nil if it is not known.
    var timeline: String?

    init(system: UInt64?, timeline: String?) {
      self.system = system
      self.timeline = timeline
    }

    /// Reads the columns of an ``IdentityQuery``.
    init(_ result: PostgresResult, from column: Int) {
      self.init(
        system: result.optional(0, column).map { UInt64(bitPattern: $0) },
        timeline: result.isNull(0, column + 1) ? nil : result.text(0, column + 1))
    }

    /// The change since an earlier identity as a sentence with the fix; nil if nothing that is known differs.
    func change(since before: ServerIdentity) -> String? {
      let change: String
      if let now = system, let before = before.system, now != before {
        change =
          "The PostgreSQL server has the system identifier \(now) and had \(before), so the address leads to another database cluster"
      } else if let now = timeline, let before = before.timeline, now != before {
        change =
          "The PostgreSQL server is on timeline \(now) and was on \(before), so a standby has taken over or a backup was restored"
      } else {
        return nil
      }
      return
        "\(change). The journal compares the ends of its partitions, and reports each one that lacks records; check that this change was intended."
    }
  }

  /// The settings of a server that weaken what an acknowledged commit means.
  struct ServerSettings {
    static let columns = """
      current_setting('synchronous_commit'), current_setting('synchronous_standby_names'), current_setting('full_page_writes')
      """
    private let commit: String
    private let standbys: String
    private let pages: String

    init(commit: String, standbys: String, pages: String) {
      self.commit = commit
      self.standbys = standbys
      self.pages = pages
    }

    /// Reads the columns.
    init(_ result: PostgresResult, from column: Int) {
      self.init(
        commit: result.text(0, column), standbys: result.text(0, column + 1), pages: result.text(0, column + 2))
    }

    /// The names of settings, with sentences that say the fix.
    var findings: [(name: String, text: String)] {
      var found: [(String, String)] = []
      if ["local", "remote_write"].contains(commit), !standbys.allSatisfy(\.isWhitespace) {
        found.append(
          (
            "synchronous_commit",
            """
            The PostgreSQL server has synchronous_commit=\(commit) and names a synchronous standby, so a standby that takes over may lack acknowledged records; \
            set synchronous_commit=on for this role and database.
            """
          ))
      }
      if pages != "on" {
        found.append(
          (
            "full_page_writes",
            """
            The PostgreSQL server runs with full_page_writes=\(pages), so a power cut may damage pages that hold acknowledged records; set \
            full_page_writes=on unless the file system writes whole pages atomically.
            """
          ))
      }
      return found
    }
  }
#endif
