#if SQLite
  import Foundation
  import Millrace
  import MillraceFlags
  import MillraceJournal

  /// The execution of one command about the file of a journal.
  struct JournalExecution<Types: JournalTypes> {
    /// The words before the name of the command.
    let command: String
    let types: Types
    /// The name of the command.
    let word: String
    let flags: ParsedFlags

    private var file: String { flags.operand }
    private var stores: String? { flags.text("--of") }
    private var key: JournalKey { JournalKey(flags.operands[1], of: stores) }

    /// Opens the file as the command needs it, writes the result to standard output, and closes the file.
    ///
    /// - Throws: ``CommandFailure`` or `JournalError`; what is written before that is true.
    func run() async throws {
      let run = try number("RUN", flags.operands.dropFirst(2).first)
      if word == "keys" { try checkKeys() }
      let journal =
        switch word {
        case "verify": try await SQLiteJournal(checking: file)
        case "abandon", "erase", "compact": try await SQLiteJournal(alone: file)
        default: try await SQLiteJournal(reading: file)
        }
      var output = StandardOutput()
      do {
        switch word {
        case "abandon", "erase", "compact": try output.add(try await change(journal, run) + "\n")
        default: try await read(journal) { try output.add($0) }
        }
      } catch {
        await journal.close()
        try output.flush()
        throw error
      }
      await journal.close()
      try output.flush()
    }

    // MARK: Reading

    private func read(_ journal: SQLiteJournal, _ write: (String) throws -> Void) async throws {
      let lists = JournalLists(journal: journal, command: command, file: file)
      switch word {
      case "keys": try await keys(lists, runs(journal), write)
      case "stores": for claim in try await journal.claims() { try write("\(claim)\n") }
      case "entries":
        try await lists.entries(
          of: key, after: sequence("--after"), limit: flags.integer("--limit") ?? JournalLists.limit,
          isFull: flags.isOn("--full"), write)
      case "runs":
        if flags.operands.count == 1 { return try await runs(journal).all(of: stores, write) }
        try await lists.check(key)
        try write(JournalRuns<Types>.headings + "\n")
        try await runs(journal).list(key, write)
      case "state":
        if Types.knowsCoder { try await lists.check(key) }
        try await state(journal, write)
      case "export":
        if Types.knowsCoder { try await lists.check(key) }
        switch try await LogProgress(of: key).showing({ try await types.export(key, from: journal, $0) }) {
        case .refused(let failure): throw failure
        case .lines(let lines): try write(String(decoding: lines, as: UTF8.self))
        }
      default:
        var check = JournalVerification(of: journal, file: file, line: .standardError)
        try write(try await check.run() + "\n")
      }
    }

    private func keys(
      _ lists: JournalLists, _ runs: JournalRuns<Types>, _ write: (String) throws -> Void
    ) async throws {
      let prefix = flags.text("--prefix") ?? ""
      if flags.isOn("--open") {
        try await runs.keys(of: stores, prefix: prefix, write)
      } else if let stores, flags.isOn("--due") {
        try await lists.dueKeys(of: stores, prefix: prefix, before: WallTime.now(), write)
      } else {
        try await lists.keys(of: stores, prefix: prefix) { try write($0.name.shownOnOneLine() + "\n") }
      }
    }

    private func state(_ journal: SQLiteJournal, _ write: (String) throws -> Void) async throws {
      let end = sequence("--at")
      switch try await LogProgress(of: key).showing({ try await types.state(of: key, in: journal, at: end, $0) }) {
      case .refused(let failure): throw failure
      case .state(let json, let sequence, let revision):
        // Standard output has the JSON only, so that another program can read it.
        StandardError.writeLine("The state at record \(sequence), of revision \(revision).")
        try write(json + "\n")
      }
    }

    private func runs(_ journal: SQLiteJournal) -> JournalRuns<Types> {
      JournalRuns(journal: journal, types: types, command: command, file: file, now: WallTime.now())
    }

    // MARK: Changing

    /// Changes the file, and returns a sentence.
    private func change(_ journal: SQLiteJournal, _ run: JournalSequence?) async throws -> String {
      if word == "compact" {
        let before = size
        try await journal.compact()
        return "\(FlagError.quoted(file)) has \(size) bytes, and had \(before)."
      }
      let changes = KeyChanges(journal: journal, types: types, command: command, file: file)
      guard let run else { return try await changes.erase(key) }
      return try await changes.abandon(run, of: key, at: WallTime.now())
    }

    /// The size of the file in bytes, as far as the system tells.
    private var size: Int {
      (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber)?.intValue ?? 0
    }

    // MARK: Arguments

    private func sequence(_ flag: String) -> JournalSequence? {
      flags.integer(flag).map { JournalSequence(UInt64($0)) }
    }

    private func number(_ placeholder: String, _ text: String?) throws(CommandFailure) -> JournalSequence? {
      guard let text else { return nil }
      guard let number = UInt64(text), number > 0 else {
        throw CommandFailure(
          "\(command) \(word) needs a number as \(placeholder), but was given \(FlagError.quoted(text)); write for example 17.",
          code: EX_USAGE)
      }
      return JournalSequence(number)
    }

    private func checkKeys() throws(CommandFailure) {
      guard flags.isOn("--due") else { return }
      if stores == nil {
        throw CommandFailure(
          "\(command) keys --due needs --of STORES, because only keys of many stores have wake times; add it.",
          code: EX_USAGE)
      }
      if flags.isOn("--open") {
        throw CommandFailure("\(command) keys takes --due or --open; leave one of the two out.", code: EX_USAGE)
      }
    }
  }
#endif
