#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A problem in a store that no sender of an action is notified of, or that is easily overlooked.
///
/// It is given to ``StoreConfiguration/report``. It never holds an action, a mutation or a state.
public struct Incident: Sendable, CustomStringConvertible {
  /// The kinds there are; more may come.
  public struct Kind: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    package init(name: String) {
      self.name = name
    }

    /// The name of the kind.
    public var description: String { name }

    /// A handler threw, and `closing` made no mutation of it.
    ///
    /// Reported each time.
    public static let unhandledFailure = Kind(name: "unhandledFailure")

    /// A thunk threw another error than `CancellationError`.
    ///
    /// Reported each time, whether the task that `send` returned is awaited or not.
    public static let thunkFailure = Kind(name: "thunkFailure")

    /// A plan contradicts itself.
    ///
    /// Reported once a store for each problem.
    public static let invalidPlan = Kind(name: "invalidPlan")

    /// A run emitted after its end.
    ///
    /// Reported once a store.
    public static let lateEmit = Kind(name: "lateEmit")

    /// The run of a child sent an action, and its scope has no `action(_:)`; see ``SingleChildScope/action(_:)``.
    ///
    /// Reported each time.
    public static let missingAction = Kind(name: "missingAction")

    /// The snapshot of a store with a journal could not be stored, so the log keeps growing.
    ///
    /// Reported each time.
    public static let snapshotFailure = Kind(name: "snapshotFailure")

    /// A run was handled again as often in a row as ``Recovery/handleAgain(limit:)`` says, and was abandoned.
    ///
    /// Reported each time.
    public static let recoveryLimit = Kind(name: "recoveryLimit")

    /// A run stays open in the log, because the program that opened the store cannot decode its action.
    ///
    /// Reported once an opening.
    public static let unreadableAction = Kind(name: "unreadableAction")

    /// A store was opened with another initial state than the one that its log begins with.
    ///
    /// Reported once an opening.
    public static let otherInitialState = Kind(name: "otherInitialState")

    /// A key of many stores that has to be open could not be opened.
    ///
    /// Reported each time.
    public static let failedWake = Kind(name: "failedWake")

    /// A process that shares the partitions of many stores could not renew its lease, or see, take or release partitions.
    ///
    /// Reported each time.
    public static let failedShare = Kind(name: "failedShare")
  }

  /// The kind of the incident.
  public let kind: Kind

  /// The type of the action.
  public let type: any Any.Type

  /// The id of the action, equal to ``Receipt/id`` and ``Run/id``; nil for ``Kind/thunkFailure``, ``Kind/snapshotFailure``, ``Kind/failedWake``,
  /// ``Kind/failedShare`` and ``Kind/otherInitialState``, which concern no action, and for ``Kind/recoveryLimit``, whose action has no id in this process.
  ///
  /// A run that several actions share has the id of the first of them.
  public let action: ActionID?

  /// The error that was thrown, if one was.
  public let error: (any Error)?

  /// The incident as a sentence that says the fix.
  public let description: String

  package init(
    _ kind: Kind, of type: any Any.Type, action: ActionID? = nil, error: (any Error)? = nil, _ description: String
  ) {
    self.kind = kind
    self.type = type
    self.action = action
    self.error = error
    self.description = description
  }
}

/// Writes an incident as one line to standard error.
@Sendable
func writeToStandardError(_ incident: Incident) {
  writeToStandardError(line: incident.description)
}

/// Writes a text as one line to standard error.
package func writeToStandardError(line text: String) {
  var line = "Millrace: \(text.split(whereSeparator: \.isNewline).joined(separator: " "))\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
