import Foundation
import Millrace
import MillraceFlags
import MillraceJournal

/// The execution of one command about a journal.
struct JournalExecution<Types: JournalTypes> {
  let types: Types
  let arguments: JournalArguments

  private var command: String { arguments.command }
  private var word: String { arguments.word }
  private var flags: ParsedFlags { arguments.flags }

  /// Opens the journal as the command needs it, writes the result to standard output, and closes the journal.
  ///
  /// - Throws: ``CommandFailure`` or `JournalError`; what is written before that is true.
  func run() async throws {
    let run = word == "abandon" ? try arguments.run() : nil
    if word == "keys" { try arguments.checkKeys() }
    let place = try arguments.place()
    switch word {
    case "copy": try await copy(from: place, to: try arguments.target())
    case "compact": try write(try await compact(place))
    case "members":
      try await using(place, to: .reading) { journal, write in try await members(of: journal, place).list(write) }
    case "forget":
      try await using(place, to: .changing) { journal, write in
        try write(try await members(of: journal, place).forget(arguments.member) + "\n")
      }
    case "abandon", "erase":
      try await using(place, to: .changing) { journal, write in
        let changes = KeyChanges(journal: journal, types: types, command: command, place: place.shown)
        let key = try self.key()
        guard let run else { return try write(try await changes.erase(key) + "\n") }
        try write(try await changes.abandon(run, of: key, at: WallTime.now()) + "\n")
      }
    default:
      try await using(place, to: word == "verify" ? .checking : .reading) { journal, write in
        try await read(journal, place.shown, write)
      }
    }
  }

  /// Opens a journal, writes what `body` gives to standard output, and closes the journal.
  private func using(
    _ place: JournalPlace, to use: JournalPlace.Use,
    _ body: (any CheckedJournal, (String) throws -> Void) async throws -> Void
  ) async throws {
    let journal = try await place.open(to: use)
    var output = StandardOutput()
    do {
      try await body(journal) { try output.add($0) }
    } catch {
      await journal.close()
      try output.flush()
      throw error
    }
    await journal.close()
    try output.flush()
  }

  private func write(_ sentence: String) throws { try StandardOutput.write(sentence + "\n") }

  /// The key, without which the flags of its commands are not parsed.
  private func key() throws -> JournalKey {
    guard let key = arguments.key else {
      throw CommandFailure("\(command) \(word) needs a KEY; add it.", code: EX_USAGE)
    }
    return key
  }

  private func members(of journal: any CheckedJournal, _ place: JournalPlace) throws -> JournalMembers {
    guard let journal = journal as? any MemberedJournal else {
      throw CommandFailure(
        "\(command) \(word) is for databases. A file has no members: one process uses it, which \(command) stores names.",
        code: EX_USAGE)
    }
    return JournalMembers(journal: journal, command: command, place: place.shown)
  }

  // MARK: Reading

  private func read(
    _ journal: any CheckedJournal, _ place: String, _ write: (String) throws -> Void
  ) async throws {
    let lists = JournalLists(journal: journal, command: command, place: place)
    let runs = JournalRuns(journal: journal, types: types, command: command, place: place, now: WallTime.now())
    switch word {
    case "keys":
      try await keys(lists, runs, write)
      try await sayStores(of: journal, place)
    case "stores": for claim in try await journal.claims() { try write("\(claim)\n") }
    case "entries":
      try await lists.entries(
        of: try key(), after: arguments.sequence("--after"), limit: flags.integer("--limit") ?? JournalLists.limit,
        isFull: flags.isOn("--full"), write)
    case "runs":
      guard let key = arguments.key else {
        try await runs.all(of: arguments.stores, write)
        return try await sayStores(of: journal, place)
      }
      try await lists.check(key)
      try write(JournalRuns<Types>.headings + "\n")
      try await runs.list(key, write)
    case "state":
      if Types.knowsCoder { try await lists.check(try key()) }
      try await state(of: try key(), journal, write)
    case "export":
      let key = try self.key()
      if Types.knowsCoder { try await lists.check(key) }
      switch try await LogProgress(of: key).showing({ try await types.export(key, from: journal, $0) }) {
      case .refused(let failure): throw failure
      case .lines(let lines): try write(String(decoding: lines, as: UTF8.self))
      }
    default:
      var check = JournalVerification(of: journal, place: place, line: .standardError)
      try write(try await check.run() + "\n")
    }
  }

  private func keys(_ lists: JournalLists, _ runs: JournalRuns<Types>, _ write: (String) throws -> Void) async throws {
    let (stores, prefix) = (arguments.stores, flags.text("--prefix") ?? "")
    if flags.isOn("--open") {
      try await runs.keys(of: stores, prefix: prefix, write)
    } else if let stores, flags.isOn("--due") {
      try await lists.dueKeys(of: stores, prefix: prefix, before: WallTime.now(), write)
    } else {
      try await lists.keys(of: stores, prefix: prefix) { try write($0.name.shownOnOneLine() + "\n") }
    }
  }

  /// Says on standard error which stores have keys that were not listed, because only the keys of single stores are without `--of`.
  private func sayStores(of journal: any CheckedJournal, _ place: String) async throws {
    guard arguments.stores == nil else { return }
    let names = try await journal.storesNames()
    if let sentence = JournalLists.sentence(ofStores: names, in: place, word: word) {
      StandardError.writeLine(sentence)
    }
  }

  private func state(
    of key: JournalKey, _ journal: any CheckedJournal, _ write: (String) throws -> Void
  ) async throws {
    let end = arguments.sequence("--at")
    switch try await LogProgress(of: key).showing({ try await types.state(of: key, in: journal, at: end, $0) }) {
    case .refused(let failure): throw failure
    case .state(let json, let sequence, let revision):
      // Standard output has the JSON only, so that another program can read it.
      StandardError.writeLine("The state at record \(sequence), of revision \(revision).")
      try write(json + "\n")
    }
  }

  // MARK: Changing

  private func copy(from place: JournalPlace, to target: JournalPlace) async throws {
    if case .file(let from) = place, case .file(let to) = target, URL(filePath: from).isSameFile(as: URL(filePath: to))
    {
      throw CommandFailure(
        "\(command) copy was given \(place.shown) twice; name another file behind --to.", code: EX_USAGE)
    }
    try await using(place, to: .reading) { source, write in
      let journal = try await target.open(to: .filling)
      let copy = JournalCopy(
        from: source, to: journal, places: (place.shown, target.shown), command: command, line: .standardError)
      do {
        try write(try await copy.run(of: arguments.stores, prefix: flags.text("--prefix") ?? "") + "\n")
      } catch {
        await journal.close()
        throw error
      }
      await journal.close()
    }
  }

  /// Writes a file anew, and returns a sentence with its size.
  private func compact(_ place: JournalPlace) async throws -> String {
    guard case .file(let path) = place else {
      throw CommandFailure(
        """
        \(command) compact is for files. PostgreSQL uses the room of removed records again by itself, with autovacuum; to give that room back to the \
        system, run VACUUM FULL on the tables of the schema, during which no process can use them.
        """, code: EX_USAGE)
    }
    #if SQLite
      let journal = try await SQLiteJournal(alone: path)
      let before = size(of: path)
      do {
        try await journal.compact()
      } catch {
        await journal.close()
        throw error
      }
      let after = size(of: path)
      await journal.close()
      return "\(place.shown) has \(after) bytes, and had \(before)."
    #else
      return path
    #endif
  }

  /// The size of a file in bytes, as far as the system tells.
  private func size(of path: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue ?? 0
  }
}

extension URL {
  /// Whether both lead to one file that is there.
  fileprivate func isSameFile(as other: URL) -> Bool {
    resolvingSymlinksInPath().standardizedFileURL == other.resolvingSymlinksInPath().standardizedFileURL
  }
}
