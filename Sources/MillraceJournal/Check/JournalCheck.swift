public import Millrace

/// The open runs of a log under the handlers of a new version of the program, before that is deployed.
///
/// ```swift
/// let check = try await JournalCheck.run(
///   copy, key: "orders", initial: .init(), interactor: Orders(payments: .unimplemented), schema: schema)
/// #expect(check.problems.isEmpty, "\(check)")
/// ```
///
/// It reads the log, changes nothing in it, and calls the handler of each open run that would be handled again, with the restored state and the stored
/// results of its steps. The first step that has no result ends the handling: its body is not called. Gateways that a handler calls outside of
/// steps are called, so give the interactor ones that are not implemented.
public struct JournalCheck: Sendable, CustomStringConvertible {
  /// An open run, and what became of it.
  public struct Run: Sendable, CustomStringConvertible {
    /// The number of the record of its take-up.
    public let record: JournalSequence

    /// The idempotency key that the sender gave, or that the store has made.
    public let key: String

    /// The names of the steps whose results are stored, in the order in which they were stored.
    public let storedSteps: [String]

    /// The result of the check.
    public let finding: Finding

    /// Whether the new version may not continue the run as the old one left it, so that a person has to look at it.
    ///
    /// That a run finishes without stored steps is none: a handler that branches on the state leaves steps out which it has done.
    public var isProblem: Bool {
      switch finding {
      case .abandoned, .finishes: false
      case .asks(_, let unused): !unused.isEmpty
      case .fails, .unreadable, .doesNotReturn: true
      }
    }

    /// Whether the handler finishes without a stored step.
    fileprivate var leavesStepsOut: Bool {
      if case .finishes(let unused) = finding { !unused.isEmpty } else { false }
    }

    /// The run in one line.
    public var description: String { "record \(record), key \(key.debugDescription): \(finding)" }
  }

  /// The result of the check of a run.
  public enum Finding: Sendable, Hashable, CustomStringConvertible {
    /// The handler asks for these steps next, and has not asked for these stored ones: they come later, or have another name now, so
    /// that they would be done again. It asks for several, where it does steps in parallel or catches the end of its handling.
    case asks([String], unused: [String])
    /// The handler returns without another step, and without these stored ones.
    case finishes(unused: [String])
    /// The handler throws this error, as after a stored failure of a step, or a stored result ends the run.
    case fails(String)
    /// No step of the schema decodes the action, for this reason.
    case unreadable(String)
    /// The plan of the take-up does not ask for the run to be handled again, or it was as often as it may: it is abandoned.
    case abandoned
    /// The handler did not return in time.
    case doesNotReturn

    /// The finding as the end of a sentence about the run.
    public var description: String {
      switch self {
      case .asks(let names, let unused):
        "asks for \(Self.list(names))"
          + (unused.isEmpty ? "" : ", and not before for \(Self.list(unused)): it was inserted before, or renamed")
      case .finishes(let unused): "finishes" + (unused.isEmpty ? "" : " without \(Self.list(unused))")
      case .fails(let error): "fails: \(error)"
      case .unreadable(let reason): "cannot be decoded: \(reason)"
      case .abandoned: "is abandoned"
      case .doesNotReturn: "does not return; give its gateways outside of steps an answer, or a step"
      }
    }

    private static func list(_ names: [String]) -> String { names.map(\.debugDescription).joined(separator: ", ") }
  }

  /// The open runs, in the order of their take-ups.
  public let runs: [Run]

  /// The runs that the new version would not continue as the old one left them.
  public var problems: [Run] { runs.filter(\.isProblem) }

  /// The number of runs and of problems, and a line for each problem and for each run that finishes without a stored step.
  public var description: String {
    let lines = runs.filter { $0.isProblem || $0.leavesStepsOut }.map { "\n  \($0)" }.joined()
    return "\(runs.count) open runs, \(problems.count) with a problem\(lines)"
  }

  /// Reads a log, and calls the handlers of its open runs.
  ///
  /// **Isolation.** Handlers are called one after the other, each in a task of its own that is cancelled when it is over. What they emit
  /// and commit is folded into a copy of the state, and what they send is rejected.
  ///
  /// **Time.** A stored sleep is over. The handlers' clock is the one of the configuration.
  ///
  /// **Cancellation** of the calling task has no effect on the reading; from then on a handler that has not returned is not waited for.
  ///
  /// - Parameters:
  ///   - journal: the journal with the log, or a copy of it; it is only read.
  ///   - key: the log in the journal.
  ///   - initial: the state of revision 0.
  ///   - interactor: the interactor of the new version.
  ///   - configuration: the configuration of the store; of it the clock is used.
  ///   - schema: the schema of the new version.
  ///   - options: the coder, and the limits of steps.
  ///   - patience: the time after which a handler is given up, on the clock of the system.
  ///   - progress: called on an unspecified thread after each page of records.
  /// - Throws: ``JournalError``, as `Store.open` for a log that cannot be read.
  public static func run<I: Interactor>(
    _ journal: any Journal, key: JournalKey, initial: I.State, interactor: I,
    configuration: StoreConfiguration = StoreConfiguration(), schema: StoreSchema<I> = StoreSchema(),
    options: JournalOptions = JournalOptions(), patience: Duration = .seconds(10),
    progress: (@Sendable (JournalProgress) -> Void)? = nil
  ) async throws(JournalError) -> JournalCheck where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
    let log = StoreLog<I>(journal: journal, key: key, schema: schema, options: options)
    var restored = Restoration(initial, from: log)
    try await restored.readOn(
      JournalCalls(journal: journal, key: key, deadline: options.deadline, clock: configuration.clock), progress)
    let (readable, unreadable) = try restored.openRuns()
    let now = configuration.wallTime()
    var runs = unreadable.map { Run($0.run, .unreadable($0.reason.description)) }
    for open in readable {
      guard open.run.resumed ?? 0 < open.run.takeUp.recoveryLimit else {
        runs.append(Run(open.run, .abandoned))
        continue
      }
      let check = StepCheck(LogStepCoder(log: log))
      let outcome = await check.call(
        interactor, open.restored(at: now, of: key), state: restored.state, clock: configuration.clock,
        patience: patience)
      runs.append(Run(open.run, Finding(outcome, check)))
    }
    return JournalCheck(runs: runs.sorted { $0.record < $1.record })
  }
}

extension JournalCheck.Run {
  fileprivate init(_ run: LoggedRun, _ finding: JournalCheck.Finding) {
    self.init(
      record: JournalSequence(run.sequence), key: run.takeUp.key, storedSteps: run.steps?.map(\.name).uniqued ?? [],
      finding: finding)
  }
}

extension JournalCheck.Finding {
  /// The finding of a handler that has returned, has thrown, or has not returned.
  fileprivate init(_ outcome: Result<Void, any Error>?, _ check: StepCheck) {
    let asked = check.asked
    switch outcome {
    // A result that cannot be read ends the run whatever the handler does then.
    case .failure(let error as StepError) where error.code.endsRun: self = .fails("\(error)")
    case _ where !asked.isEmpty: self = .asks(asked, unused: check.unused)
    case .success: self = .finishes(unused: check.unused)
    case .failure(let error): self = .fails("\(error)")
    case nil: self = .doesNotReturn
    }
  }
}

extension [String] {
  /// The texts without those that stand before, too: a step has a record for its time and one for its result.
  fileprivate var uniqued: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}

/// The coder of a log, for the results of steps.
private final class LogStepCoder<I: Interactor>: StepCoder
where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  private let log: StoreLog<I>

  init(log: StoreLog<I>) {
    self.log = log
  }

  var stepLimits: StepLimits { log.stepLimits }

  func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] { try log.encodeStep(value) }

  func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try log.decodeStep(type, from: bytes)
  }
}
