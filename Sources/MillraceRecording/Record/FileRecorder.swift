public import Foundation
public import Millrace

/// Records the events of a store to a file.
///
/// ```swift
/// let recorder = FileRecorder<Shop>(initial: state, to: url)
/// let store = Store(
///   initial: state, interactor: Shop(gateway: gateway, tape: recorder.tape), interceptors: [recorder])
/// …
/// await store.shutdown(drainFor: .seconds(5))
/// await recorder.finish(with: store.snapshot)
/// ```
///
/// The file is a line of JSON for the beginning and for each entry: actions, replies of gateways that were called through
/// ``tape``, commits, ends, and a state now and then.
///
/// **Isolation.** With the store's lock an entry is put into a buffer, which takes about a microsecond; it is encoded
/// and written on a queue of the recorder's own. A state is copied at every checkpoint, which costs the store one copy of the parts
/// that it changes next.
///
/// **Backpressure.** None: the store is never held up. When the buffer is full, entries are left out; ``missed`` counts them,
/// the file has a gap in their place, and the next commit that is recorded brings its state, so that replays continue there.
///
/// **Errors.** The store is not hurt by any. A file that cannot be written, that another recorder writes to, or a value that
/// cannot be encoded, ends the recording and is reported once. So a process that begins before the one before it has ended
/// records nothing, unless it has a file of its own.
///
/// **Size.** A file that has `bytes` bytes behind its first line, which holds a state, continues in a new one with the next commit,
/// and is kept under its name with `.1` behind, in place of an earlier one. So is a file that is found at the beginning: the file of
/// the process before, which may have crashed; one in which nothing but the first line stands is not kept. Each of the two can be
/// replayed by itself. A file may exceed its size by its first line, by an eighth, and by the state that ends it; where a state is
/// larger than the size, as many bytes as that has come behind it. Commits are never left out for the size: the commits that wait when a
/// file is full still come into it, up to the next one with a state. So there are at most about twice `bytes` and four states on the
/// disk, or six states where those are larger, and twice the commits that wait in the buffer.
///
/// **Moved files.** A file that was moved or removed while it is written is reported, and the recording continues in a new file of
/// the same name with the next commit.
///
/// **Lifetime.** A recorder is for one store. Entries that it got before its release are still written. It may be put into a store
/// that has commits, or be taken out of the chain and put back: the file has a gap there, and continues with the next commit.
public final class FileRecorder<I: Interactor>: Interceptor
where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  private typealias Intake = RecordingIntake<EntryBuffer<I.Action, I.Mutation, I.State>>

  private let intake: Intake
  private let steps: StepTape<EntryBuffer<I.Action, I.Mutation, I.State>>
  private let writer: RecordingWriter<I>

  /// The tape through which handlers call gateways, so that the replies are recorded.
  public let tape: GatewayTape

  /// Begins a recording.
  ///
  /// - Parameters:
  ///   - initial: the state that the store begins with.
  ///   - revision: the revision of that state; 0 for a new store.
  ///   - url: the file.
  ///   - bytes: the largest number of bytes behind the first line of the file; by default 64 MiB.
  ///   - buffer: the number of entries that may wait to be written; by default 16,384.
  ///   - bufferBytes: the number of bytes that may wait to be written, and as many may be written just then; by default 64 MiB. They are reckoned
  ///     by the sizes of encoded entries of the same kind.
  ///   - checkpoint: The number of commits from one recorded state to the next; by default 256.
  ///   - redaction: the redaction of values before they are recorded.
  ///   - clock: the clock that measures the times; the store's, where that is another one.
  ///   - wallTime: Returns the wall time in milliseconds since 1970; called once, for the header. By default the system's.
  ///   - report: Receives the error that ends the recording, of a file that was moved or removed, of the first call that
  ///     cannot be encoded, and of a finish that takes too long, on any thread; by default a line on standard error.
  public convenience init(
    initial: I.State, revision: Int = 0, to url: URL, bytes: Int = 64 << 20, buffer: Int = 16_384,
    bufferBytes: Int = 64 << 20, checkpoint: Int = 256,
    redaction: Redaction<I> = Redaction(), clock: any Clock<Duration> = ContinuousClock(),
    wallTime: (@Sendable () -> Int64)? = nil,
    report: (@Sendable (RecordingError) -> Void)? = nil
  ) {
    self.init(
      initial: initial, revision: revision, to: RecordingFile(url), bytes: bytes, buffer: buffer,
      bufferBytes: bufferBytes, checkpoint: checkpoint, redaction: redaction, clock: clock,
      began: wallTime?() ?? WallTime.now(), report: report)
  }

  init(
    initial: I.State, revision: Int, to sink: any RecordingSink, bytes: Int, buffer: Int, bufferBytes: Int,
    checkpoint: Int, redaction: Redaction<I>, clock: any Clock<Duration>, began: Int64,
    report: (@Sendable (RecordingError) -> Void)?
  ) {
    let sizes = EncodedSizes()
    let writer = RecordingWriter(
      RecordingOutput(sink, redaction: redaction, began: began, limit: bytes, sizes: sizes),
      report: report ?? { writeToStandardError(line: $0.description) })
    let intake = Intake(
      EntryBuffer(capacity: buffer, bytes: bufferBytes, sizes: sizes), revision: revision, interval: checkpoint,
      clock: clock, errorText: redaction.error
    ) { intake, isToWake in
      if isToWake { writer.wake(intake) }
    }
    writer.begin(RecordedState(at: 0, revision: revision, state: initial), intake)
    let reports = UnencodableReports { writer.tell($0) }
    tape = GatewayTape(RecordingDeck(intake: intake, redaction: redaction.calls, reports: reports))
    steps = StepTape(intake: intake, redaction: redaction.steps, reports: reports)
    self.intake = intake
    self.writer = writer
  }

  /// The number of entries that were left out, because the buffer or the file was full, or a call could not be encoded.
  public var missed: Int { intake.missed }

  /// Writes all entries so far, and closes the file; later entries are not recorded.
  ///
  /// Call it after the store's `Store.shutdown(drainFor:)`, with the store's last snapshot: then the state at the end is recorded,
  /// and a replay compares it, however short the recording is. A snapshot of another revision than the last commit that was
  /// recorded is left out. A second call waits as well, and changes nothing.
  ///
  /// **Errors.** When a disk does not answer within the limit, that is reported, and this returns. The rest is still written
  /// as long as the process lives.
  ///
  /// **Cancellation.** Changes nothing.
  ///
  /// - Parameters:
  ///   - last: the last snapshot of the store; nil records no state at the end.
  ///   - limit: the longest time for this; by default five seconds.
  ///   - clock: the clock that measures the limit.
  /// - Returns: whether all entries are written but those that ``missed`` counts; false if the recording has ended before, by an
  ///   error that was reported.
  @discardableResult
  public func finish(
    with last: Snapshot<I.State>? = nil, within limit: Duration = .seconds(5),
    clock: any Clock<Duration> = ContinuousClock()
  ) async -> Bool {
    await writer.finish(intake, intake.finish(with: last), within: limit, TimeSource(clock))
  }

  /// Writes all entries so far.
  ///
  /// That happens soon anyway; this is for readers of the file while it is written. It takes as long as the disk does, and
  /// does not wait for later entries.
  ///
  /// **Cancellation.** Changes nothing.
  public func flush() async {
    await writer.flush(intake)
  }

  /// Waits until the file is there and has its first line, for a service that is not to run without its recording.
  ///
  /// It takes as long as the disk does.
  ///
  /// **Cancellation.** Changes nothing.
  ///
  /// - Throws: ``RecordingError`` when nothing can be recorded: the file cannot be written, or another recorder writes to it. It is
  ///   also given to `report`.
  public func waitUntilOpen() async throws(RecordingError) {
    if let failure = await writer.failure() { throw failure }
  }

  /// Looks whether the file is still where it was made; returns at once.
  ///
  /// When the file was moved or removed, `report` is given a ``RecordingError`` with the code ``RecordingError/Code/moved``, once,
  /// and the recording continues in a new file of that name with the next commit. This happens before each write; call it for a
  /// service that seldom does anything.
  public func checkFile() {
    writer.checkFile(intake)
  }

  /// Whether nothing is taken any more.
  var isOver: Bool { intake.isOver }

  /// Records that an action was accepted.
  public func accepted(_ cause: Cause<I.Action>) {
    intake.accepted(cause)
  }

  /// Records a commit.
  public func committed(_ mutation: I.Mutation, revision: Int, cause: Cause<I.Action>, state: borrowing I.State) {
    intake.committed(mutation, revision: revision, cause: cause, state: state)
  }

  /// Records how an action ended.
  public func ended(_ cause: Cause<I.Action>, outcome: Outcome) {
    intake.ended(cause, outcome)
  }
}

extension FileRecorder: StepSink {
  /// Records the value that a handler gets of a step.
  package func stepHasValue(_ value: any Encodable & Sendable, _ name: String, of handling: StepOrigin) {
    steps.stepHasValue(value, name, of: handling)
  }

  /// Records the failure that a handler gets of a step.
  package func stepHasFailed(_ error: any Error, _ name: String, of handling: StepOrigin) {
    steps.stepHasFailed(error, name, of: handling)
  }
}

extension FileRecorder: EventSink {
  /// Records the rest before the next attempt of a run.
  package func rest(_ drawn: Duration, after attempt: Int, of cause: Cause<I.Action>) -> Duration {
    intake.rests(cause, after: attempt, for: drawn)
    return drawn
  }

  /// Records an action that was rejected before it was accepted.
  package func refused(_ cause: Cause<I.Action>) {
    intake.refused(cause)
  }
}
