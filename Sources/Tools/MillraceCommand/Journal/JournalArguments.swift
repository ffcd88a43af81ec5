import Foundation
import MillraceFlags
import MillraceJournal

#if Postgres
  import MillracePostgres
#endif

/// The arguments of a command about a journal.
struct JournalArguments {
  /// The schema of a journal's tables unless another one is named.
  static let schema = "millrace"

  /// The words before the name of the command.
  let command: String
  /// The name of the command.
  let word: String
  let flags: ParsedFlags
  /// Whether a service has the command, which builds the program otherwise than `millrace` is built.
  let isOfService: Bool

  /// The arguments behind that of the file, whose place `--postgres` takes.
  private var operands: ArraySlice<String> { flags.operands.dropFirst(isInDatabase ? 0 : 1) }

  private var isInDatabase: Bool { flags.wasGiven("--postgres") }

  var stores: String? { flags.text("--of") }

  /// The key; nil if none is named.
  var key: JournalKey? { operands.first.map { JournalKey($0, of: stores) } }

  /// The member of the stores, in the place of a key.
  var member: String { operands.first ?? "" }

  // MARK: Places

  /// The journal that the command is about.
  ///
  /// - Throws: ``CommandFailure`` for a place that this program cannot open, or an address with a secret.
  func place() throws(CommandFailure) -> JournalPlace {
    if let address = flags.text("--postgres") {
      return try database(address, flag: "--postgres", schema: flags.text("--schema"))
    }
    if flags.wasGiven("--schema") { throw needless("--schema", without: "--postgres") }
    return try file(flags.operand, named: FlagError.quoted(flags.operand), fix: "write it behind --postgres")
  }

  /// The journal to which keys are copied.
  ///
  /// - Throws: ``CommandFailure``, as ``place()``; also if none or two are named.
  func target() throws(CommandFailure) -> JournalPlace {
    switch (flags.text("--to"), flags.text("--to-postgres")) {
    case (let path?, nil):
      if flags.wasGiven("--to-schema") { throw needless("--to-schema", without: "--to-postgres") }
      return try file(path, named: FlagError.quoted(path), fix: "write it behind --to-postgres")
    case (nil, let address?): return try database(address, flag: "--to-postgres", schema: flags.text("--to-schema"))
    case (nil, nil):
      throw usage(
        "\(command) \(word) needs --to FILE or --to-postgres ADDRESS, to which the keys are copied; add one of them.")
    case (_?, _?): throw usage("\(command) \(word) takes --to or --to-postgres; leave one of the two out.")
    }
  }

  private func file(_ path: String, named name: String, fix: String) throws(CommandFailure) -> JournalPlace {
    // An address in the place of a file is not repeated, because it may have a password.
    if path.hasPrefix("postgresql://") || path.hasPrefix("postgres://") {
      throw usage("\(command) \(word) was given an address of PostgreSQL in the place of a file; \(fix).")
    }
    #if SQLite
      return .file(path)
    #else
      throw usage("\(command) \(word) of \(name) needs SQLite, \(missing("SQLite", package: "libsqlite3-dev")).")
    #endif
  }

  private func database(_ address: String, flag: String, schema: String?) throws(CommandFailure) -> JournalPlace {
    #if Postgres
      let refusal: String?
      do {
        refusal = try PostgresJournal.secretRefusal(of: address, behind: flag)
      } catch {
        throw usage("\(flag): \(error)")
      }
      if let refusal { throw usage(refusal) }
      return .database(address: address, schema: schema ?? Self.schema)
    #else
      throw usage("\(command) \(word) \(flag) needs libpq, \(missing("Postgres", package: "libpq-dev")).")
    #endif
  }

  /// The end of the sentence for a program without a trait, with the fix.
  private func missing(_ trait: String, package: String) -> String {
    let fix =
      isOfService
      ? "add 'traits: [\"\(trait)\"]' to the package's dependency on Millrace, and build it again"
      : "build it by 'swift build -c release --traits \(trait) --product millrace'"
    return "and this program was built without the trait \(trait); install \(package), and \(fix)"
  }

  private func needless(_ flag: String, without other: String) -> CommandFailure {
    usage(
      "\(command) \(word) \(flag) needs \(other) ADDRESS, because files have no schemas; add it, or leave \(flag) out.")
  }

  private func usage(_ sentence: String) -> CommandFailure { CommandFailure(sentence, code: EX_USAGE) }

  // MARK: Values

  /// The record that a flag names; nil without the flag.
  func sequence(_ flag: String) -> JournalSequence? {
    flags.integer(flag).map { JournalSequence(UInt64($0)) }
  }

  /// The run that is named behind the key; nil if none is.
  ///
  /// - Throws: ``CommandFailure`` for a text that is no number.
  func run() throws(CommandFailure) -> JournalSequence? {
    guard let text = operands.dropFirst().first else { return nil }
    guard let number = UInt64(text), number > 0 else {
      throw usage(
        "\(command) \(word) needs a number as RUN, but was given \(FlagError.quoted(text)); write for example 17.")
    }
    return JournalSequence(number)
  }

  /// Checks the flags of `keys` that exclude each other.
  func checkKeys() throws(CommandFailure) {
    guard flags.isOn("--due") else { return }
    if stores == nil {
      throw usage("\(command) keys --due needs --of STORES, because only keys of many stores have wake times; add it.")
    }
    if flags.isOn("--open") { throw usage("\(command) keys takes --due or --open; leave one of the two out.") }
  }
}
