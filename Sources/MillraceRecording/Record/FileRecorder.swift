public import Foundation
public import Millrace

/// Records what happens in a store to a file.
///
/// ```swift
/// let recorder = FileRecorder<Shop.Action, Shop.Mutation, Shop.State>(initial: state, to: url)
/// let store = Store(
///   initial: state, interactor: Shop(gateway: gateway, tape: recorder.tape), interceptors: [recorder])
/// …
/// await store.shutdown(drainFor: .seconds(5))
/// await recorder.finish()
/// ```
///
/// The file is a line of JSON for the beginning and for each entry: actions, replies of gateways that were called through
/// ``tape``, commits, ends, and a state now and then.
///
/// **Isolation.** With the store's turn an entry is put into a buffer, which takes about a microsecond; it is encoded
/// and written on a queue of the recorder's own. A state is copied every so many commits, which costs the store one copy of what
/// it changes next.
///
/// **Backpressure.** None: the store is never held up. When the buffer is full, entries are left out; ``missed`` counts them,
/// the file has a gap in their place, and the next commit that is recorded brings its state, so that replays go on there.
///
/// **Errors.** The store is not hurt by any. A file that cannot be written, or a value that cannot be encoded, ends the recording
/// and is reported once.
///
/// **Size.** A file that has reached its size goes on in a new one with the next commit, and is kept under its name with `.1`
/// behind, in place of an earlier one. So is a file that is found at the beginning: that of the process before, which may have
/// crashed. Each of the two can be replayed alone. They may exceed their size by an eighth, and by what the buffer holds.
///
/// **Lifetime.** A recorder is for one store. What was told before it is released is still written. It may be put into a store
/// that has commits, or be taken out of the chain and put back: the file has a gap there, and goes on with the next commit.
public final class FileRecorder<Action: Codable & Sendable, Mutation: Codable & Sendable, State: Codable & Sendable>:
  Interceptor
{
  private typealias Intake = RecordingIntake<EntryBuffer<Action, Mutation, State>>

  private let intake: Intake
  private let writer: RecordingWriter<Action, Mutation, State>

  /// What handlers call gateways through, so that the replies are recorded.
  public let tape: GatewayTape

  /// Begins a recording.
  ///
  /// - Parameters:
  ///   - initial: the state that the store begins with.
  ///   - revision: the revision of that state; 0 for a new store.
  ///   - url: the file.
  ///   - bytes: how large the file may become; by default 64 MiB.
  ///   - buffer: how many entries may wait to be written; by default 16,384.
  ///   - checkpoint: a state is recorded every so many commits; by default 256.
  ///   - redaction: what is changed in values before they are recorded.
  ///   - clock: what the times are measured by; the store's, where that is another one.
  ///   - report: what is told of the error that ends the recording, on any thread; by default one line on standard error.
  public convenience init(
    initial: State, revision: Int = 0, to url: URL, bytes: Int = 64 << 20, buffer: Int = 16_384, checkpoint: Int = 256,
    redaction: Redaction<Action, Mutation, State> = Redaction(), clock: any Clock<Duration> = ContinuousClock(),
    report: (@Sendable (RecordingError) -> Void)? = nil
  ) {
    self.init(
      initial: initial, revision: revision, to: RecordingFile(url), bytes: bytes, buffer: buffer,
      checkpoint: checkpoint,
      redaction: redaction, clock: clock, report: report)
  }

  init(
    initial: State, revision: Int, to sink: any RecordingSink, bytes: Int, buffer: Int, checkpoint: Int,
    redaction: Redaction<Action, Mutation, State>, clock: any Clock<Duration>,
    report: (@Sendable (RecordingError) -> Void)?
  ) {
    let writer = RecordingWriter(
      RecordingOutput(sink, redaction: redaction, limit: bytes),
      report: report ?? { writeToStandardError(line: $0.description) })
    let intake = Intake(
      EntryBuffer(capacity: buffer), revision: revision, interval: checkpoint, clock: clock
    ) { intake, isToWake in
      if isToWake { writer.wake(intake) }
    }
    writer.begin(RecordedState(at: 0, revision: revision, state: initial), intake)
    tape = GatewayTape(
      RecordingDeck(
        intake: intake, request: redaction.request, reply: redaction.reply, report: { writer.tell($0) }))
    self.intake = intake
    self.writer = writer
  }

  /// How many entries were left out so far, because the buffer was full.
  public var missed: Int { intake.missed }

  /// Writes all that was told before, and closes the file; what is told later is not recorded.
  ///
  /// Call it after the store's `Store.shutdown(drainFor:)`. A second call waits as well, and changes nothing.
  ///
  /// **Cancellation.** Changes nothing.
  public func finish() async {
    intake.finish()
    await writer.finish(intake)
  }

  /// Writes all that was told before.
  ///
  /// That happens soon anyway; this is for whoever reads the file while it is written.
  ///
  /// **Cancellation.** Changes nothing.
  public func flush() async {
    await writer.flush(intake)
  }

  /// How many actions it remembers.
  var openCount: Int { intake.openCount }

  /// Records that an action was accepted.
  public func accepted(_ cause: Cause<Action>) {
    intake.accepted(cause)
  }

  /// Records a commit.
  public func committed(_ mutation: Mutation, revision: Int, cause: Cause<Action>, state: borrowing State) {
    intake.committed(mutation, revision: revision, cause: cause, state: state)
  }

  /// Records how an action ended.
  public func ended(_ cause: Cause<Action>, outcome: Outcome) {
    intake.ended(cause, outcome)
  }
}
