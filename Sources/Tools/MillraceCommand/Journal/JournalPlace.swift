import Foundation
import MillraceFlags
import MillraceJournal

#if Postgres
  import MillracePostgres
#endif

/// The place of a journal: a file, or the tables of a schema in a PostgreSQL database.
enum JournalPlace: Sendable {
  case file(String)
  case database(address: String, schema: String)

  /// The use of a journal, by which it is opened.
  enum Use {
    /// Nothing is changed.
    case reading
    /// Nothing is changed, and damage is an error of the calls that meet it only.
    case checking
    /// The journal is there, and is changed by hand.
    case changing
    /// Keys are copied to the journal, which is made if it is missing.
    case filling
  }

  /// The largest batch in bytes that is copied; a program may have opened its journal with a larger limit than the default one.
  private static let largestBatch = 1 << 29

  /// The place as the subject of a sentence.
  var shown: String {
    switch self {
    case .file(let path): FlagError.quoted(path)
    // The address may have the names of users, and is none of a sentence.
    case .database(_, let schema): "PostgreSQL schema \(FlagError.quoted(schema))"
    }
  }

  /// Opens the journal; ``JournalArguments`` makes no place that this program cannot open.
  ///
  /// - Throws: `JournalError`.
  func open(to use: Use) async throws(JournalError) -> any CheckedJournal {
    switch self {
    case .file(let path): try await Self.open(path, to: use)
    case .database(let address, let schema): try await Self.open(address, schema, to: use)
    }
  }

  private static func open(_ path: String, to use: Use) async throws(JournalError) -> any CheckedJournal {
    #if SQLite
      switch use {
      case .reading: return try await SQLiteJournal(reading: path)
      case .checking: return try await SQLiteJournal(checking: path)
      case .changing, .filling:
        // A file that is opened alone has to be there.
        if use == .filling, !FileManager.default.fileExists(atPath: path) {
          await (try await SQLiteJournal(path)).close()
        }
        var options = SQLiteJournalOptions()
        options.isAlone = true
        options.largestBatch = largestBatch
        return try await SQLiteJournal(path, options)
      }
    #else
      throw JournalError(.cannotOpen, "The file \(FlagError.quoted(path)) needs the trait SQLite; build with it.")
    #endif
  }

  private static func open(
    _ address: String, _ schema: String, to use: Use
  ) async throws(JournalError) -> any CheckedJournal {
    #if Postgres
      var options = PostgresOptions()
      options.schema = schema
      switch use {
      case .reading, .checking: return try await PostgresJournal(reading: address, options: options)
      case .changing, .filling:
        options.makesTables = use == .filling
        options.largestBatch = largestBatch
        return try await PostgresJournal(address, options: options)
      }
    #else
      throw JournalError(.cannotOpen, "The schema \(FlagError.quoted(schema)) needs the trait Postgres; build with it.")
    #endif
  }
}
