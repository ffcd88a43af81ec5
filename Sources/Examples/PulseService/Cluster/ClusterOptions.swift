import Millrace
import MillraceFlags
import MillraceJournal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

#if Postgres
  import MillracePostgres
#endif

/// The database in which several pulses share their targets, and the name of this one there.
struct ClusterOptions: Sendable, Equatable {
  /// The flag that names the database.
  static let flag = "--cluster"

  /// The flags that belong to the one that names the database.
  private static let others = ["--schema", "--name", "--lease"]

  static let flags: [Flag] = [
    .text(
      flag, "ADDRESS", example: "service=pulse",
      help: "watch the targets together with other pulses of this PostgreSQL database (needs the trait Postgres)"),
    .text("--schema", "NAME", example: "pulse", help: "with --cluster: the schema of the tables (default pulse)"),
    .text(
      "--name", "NAME", example: "web-1",
      help: "with --cluster: the name of this member (default the host and the process)"),
    .seconds(
      "--lease", example: "10",
      help: "with --cluster: the time after which the others take the targets of a member that has stopped (default 10)"
    ),
  ]

  /// A URI or keywords of libpq, without a password.
  var address: String
  var schema = "pulse"
  var name = "pulse"
  var lease: Duration = .seconds(10)

  /// - Throws: `FlagError` for an address with a password, or in a program without PostgreSQL.
  init(_ address: String, schema: String?, behind flag: String) throws(FlagError) {
    self.address = address
    if let schema { self.schema = schema }
    #if Postgres
      let refusal: String?
      do {
        refusal = try PostgresJournal.secretRefusal(of: address, behind: flag)
      } catch {
        throw FlagError("\(flag): \(error)")
      }
      if let refusal { throw FlagError(refusal) }
    #else
      // The address is not repeated, because it may have a password.
      throw FlagError(
        "\(flag) needs PostgreSQL, and this pulse was built without it; install libpq-dev and build it with "
          + "'swift build -c release --traits Postgres --product pulse'.")
    #endif
  }

  /// Reads the flags; nil for a pulse that watches alone.
  ///
  /// - Throws: `FlagError` for a plan or flags that no cluster has.
  init?(_ parsed: ParsedFlags, _ plan: MonitoringService.Plan, host: String) throws(FlagError) {
    guard let address = parsed.text(Self.flag) else {
      for flag in Self.others where parsed.wasGiven(flag) {
        throw FlagError("\(flag) belongs to \(Self.flag); add that, or leave it out.")
      }
      return nil
    }
    for flag in ["--once", "--record", "--journal"] where parsed.wasGiven(flag) {
      throw FlagError(
        "\(flag) and \(Self.flag) exclude each other, because a cluster has its targets in the database; leave one out. "
          + "'pulse cluster status' prints one complete state.")
    }
    if plan.endpoints.isEmpty {
      throw FlagError("\(Self.flag) needs a target to watch; add for example --watch http://localhost:8080.")
    }
    if let rule = plan.rules.first(where: { $0.metric != nil }) {
      throw FlagError(
        "\(Self.flag) takes no rule about a machine, because each member has one of its own, but was given "
          + "\(FlagError.quoted(rule.text)); give it to a pulse without \(Self.flag).")
    }
    try self.init(address, schema: parsed.text("--schema"), behind: Self.flag)
    name = parsed.text("--name") ?? "\(host):\(getpid())"
    lease = parsed.seconds("--lease") ?? lease
  }

  /// Connects to the database.
  ///
  /// - Parameter isReading: Whether nothing is written, no table made.
  /// - Throws: `JournalError`.
  func open(isReading: Bool = false) async throws(JournalError) -> any SharedJournal {
    #if Postgres
      var options = PostgresOptions()
      options.schema = schema
      return isReading
        ? try await PostgresJournal(reading: address, options: options)
        : try await PostgresJournal(address, options: options)
    #else
      preconditionFailure("There are no options of a cluster in a program without PostgreSQL.")
    #endif
  }
}
