/// Files that a ``MemoryJournal`` keeps its bytes in, so that a test can crash between a write and its synchronization.
///
/// The storage of a simulated node in `MillraceTesting` has these methods; a test declares that with an empty extension:
/// `extension SimulatedStorage: @retroactive JournalStorage {}`. The journal calls one method at a time.
public protocol JournalStorage: Sendable {
  /// Reads a file; nil if there is none.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: An error that makes the journal fail.
  func read(_ file: String) async throws -> [UInt8]?

  /// Adds bytes at the end of a file, which need not exist. A crash may keep a first part of them, unless ``sync(_:)`` has returned.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: An error that makes the journal fail.
  func append(_ bytes: [UInt8], to file: String) async throws

  /// Replaces a file, which need not exist. A crash keeps the old bytes or the new ones, unless ``sync(_:)`` has returned.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: An error that makes the journal fail.
  func write(_ bytes: [UInt8], to file: String) async throws

  /// Makes all changes of a file durable, or those of all files if none is named.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: An error that makes the journal fail.
  func sync(_ file: String?) async throws
}
