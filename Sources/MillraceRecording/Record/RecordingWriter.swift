import Dispatch
import Foundation
import Millrace

/// Takes entries out of the intake and writes them, on a queue of its own.
final class RecordingWriter<I: Interactor>: Sendable where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  typealias Buffer = EntryBuffer<I.Action, I.Mutation, I.State>
  typealias Output = RecordingOutput<I>

  private struct Progress {
    /// Nil once it was closed, or has failed.
    var output: Output?

    /// The error that has ended the recording.
    var failure: RecordingError?
  }

  private let queue = DispatchQueue(label: "millrace.recording", qos: .utility)

  /// Used on the queue alone.
  private let progress: Lock<Progress>
  private let report: @Sendable (RecordingError) -> Void

  init(_ output: Output, report: @escaping @Sendable (RecordingError) -> Void) {
    progress = Lock(Progress(output: output))
    self.report = report
  }

  /// Opens the file, before anything that is taken later.
  func begin(_ start: RecordedState<I.State>, _ intake: RecordingIntake<Buffer>) {
    queue.async {
      self.attempt(intake) { output throws(RecordingError) in try output.begin(start) }
    }
  }

  /// Writes all that waits, soon; returns at once.
  ///
  /// What comes meanwhile is written in another turn of the queue, so that a flush has its own however fast the store is.
  func wake(_ intake: RecordingIntake<Buffer>) {
    queue.async {
      self.writeBatch(intake)
      if intake.withKeep({ $0.keepsWriterAwake() }) { self.wake(intake) }
    }
  }

  /// Writes all that was taken before and what is left to tell, and closes; all of that later, if it takes longer than `limit`.
  ///
  /// - Returns: whether everything is written.
  func finish(
    _ intake: RecordingIntake<Buffer>, _ last: [Buffer.Entry], within limit: Duration, _ time: TimeSource
  ) async -> Bool {
    var alarm: Task<Void, Never>?
    defer { alarm?.cancel() }
    return await withCheckedContinuation { continuation in
      let answer = FirstAnswer(continuation)
      queue.async {
        let isWhole = self.end(intake, last)
        answer.take()?.resume(returning: isWhole)
      }
      alarm = Task {
        guard (try? await time.sleep(until: time.now() + limit.nanoseconds)) != nil, let waiting = answer.take() else {
          return
        }
        report(.unfinished(within: limit))
        waiting.resume(returning: false)
      }
    }
  }

  /// Writes all that was taken before, and does not wait for what comes meanwhile.
  func flush(_ intake: RecordingIntake<Buffer>) async {
    await withCheckedContinuation { continuation in
      queue.async {
        self.writeBatch(intake)
        continuation.resume()
      }
    }
  }

  /// Looks whether the file is still at its place.
  func checkFile(_ intake: RecordingIntake<Buffer>) {
    queue.async { self.noticeLoss(intake) }
  }

  /// Waits until all that was asked for before is done.
  ///
  /// - Returns: the error that has ended the recording, if one has.
  func failure() async -> RecordingError? {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.progress.withLock { $0.failure }) }
    }
  }

  /// Reports an error that does not end the recording.
  func tell(_ error: RecordingError) {
    queue.async { self.report(error) }
  }

  private func noticeLoss(_ intake: RecordingIntake<Buffer>) {
    guard let loss = progress.withLock({ $0.output?.noticeLoss() }) else { return }
    intake.withKeep { $0.askForState() }
    report(loss)
  }

  /// Writes all that waits now.
  private func writeBatch(_ intake: RecordingIntake<Buffer>) {
    guard let entries = intake.withKeep({ $0.take() }) else { return }
    noticeLoss(intake)
    attempt(intake) { output throws(RecordingError) in
      try output.write(entries)
      let leftOut = output.takeLeftOut()
      if leftOut > 0 { intake.leftOut(leftOut) }
      guard output.wantsState else { return }
      intake.withKeep { $0.askForState() }
    }
  }

  /// Writes what is left of an intake that takes nothing any more, and closes.
  private func end(_ intake: RecordingIntake<Buffer>, _ last: [Buffer.Entry]) -> Bool {
    writeBatch(intake)
    attempt(intake) { output throws(RecordingError) in try output.end(last) }
    return progress.withLock { progress in
      progress.output = nil
      return progress.failure == nil
    }
  }

  /// Does something with the output; an error is its end.
  private func attempt(
    _ intake: RecordingIntake<Buffer>, _ body: @Sendable (inout Output) throws(RecordingError) -> Void
  ) {
    let failure: RecordingError? = progress.withLock { progress in
      guard var open = progress.output else { return nil }
      progress.output = nil  // Changed in place, not copied.
      do throws(RecordingError) {
        try body(&open)
        progress.output = open
        return nil
      } catch {
        open.close()
        progress.failure = error
        return error
      }
    }
    guard let failure else { return }
    intake.finish()
    report(failure.endingTheRecording)
  }
}

/// Passes the first of two answers on.
private final class FirstAnswer: Sendable {
  private let waiting: Lock<CheckedContinuation<Bool, Never>?>

  init(_ waiting: CheckedContinuation<Bool, Never>) {
    self.waiting = Lock(waiting)
  }

  /// The waiting tasks, for the first caller.
  func take() -> CheckedContinuation<Bool, Never>? {
    waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
  }
}

extension RecordingError {
  /// The same, with what it means for the recorder.
  fileprivate var endingTheRecording: RecordingError {
    RecordingError(
      code, line: line, description + " The recording has ended here, and the store continues without it.")
  }

  fileprivate static func unfinished(within limit: Duration) -> RecordingError {
    RecordingError(
      .unfinished,
      """
      The recording was not written to its end within \(limit): the disk is slow, or stands still. The rest is written as long as \
      the process lives; give finish(with:within:) more time where that is worth more than a quick end.
      """)
  }
}

/// Entries that wait to be written.
struct EntryBuffer<Action: Codable & Sendable, Mutation: Codable & Sendable, State: Codable & Sendable>: EntryKeeping {
  typealias Entry = RecordingEntry<Action, Mutation, State>

  /// The largest number of waiting entries.
  let capacity: Int

  /// The largest number of waiting bytes, and one entry more, as `sizes` counts them.
  let bytes: Int

  /// Whether the file has reached its size, and continues in another one with the next state.
  private(set) var wantsState = false

  /// Whether a state waits.
  private var holdsState = false

  private let sizes: EncodedSizes
  private var entries: [Entry] = []
  private var waiting = 0
  private var isWriterAwake = false

  init(capacity: Int, bytes: Int, sizes: EncodedSizes) {
    // A gap, a commit and its state belong together.
    self.capacity = max(3, capacity)
    self.bytes = max(1, bytes)
    self.sizes = sizes
  }

  mutating func add(_ gap: RecordedGap?, _ entry: Entry, _ state: RecordedState<State>?) -> Bool {
    let count = entries.count + (gap == nil ? 0 : 1) + 1 + (state == nil ? 0 : 1)
    guard count <= capacity, waiting < bytes else { return false }
    waiting += sizes.expected(of: entry.sizeKind, withState: state != nil) + entry.errorBytes
    if let gap { entries.append(.gap(gap)) }
    entries.append(entry)
    if let state {
      entries.append(.state(state))
      (wantsState, holdsState) = (false, true)
    }
    return true
  }

  /// Whether the writer has to be woken.
  mutating func settle() -> Bool {
    if isWriterAwake || entries.isEmpty { return false }
    isWriterAwake = true
    return true
  }

  /// All that wait; nil if none do.
  mutating func take() -> [Entry]? {
    if entries.isEmpty { return nil }
    defer { (entries, waiting, holdsState) = ([], 0, false) }
    return entries
  }

  /// Requests the state of the next commit, if none waits: a second one would end the next file as soon as it has begun.
  mutating func askForState() {
    wantsState = !holdsState
  }

  /// Whether the writer continues; without a waiting entry it sleeps until it is woken.
  mutating func keepsWriterAwake() -> Bool {
    isWriterAwake = !entries.isEmpty
    return isWriterAwake
  }
}
