import Dispatch
import Foundation
import Millrace

/// Takes entries out of the intake and writes them, on a queue of its own.
final class RecordingWriter<Action: Codable & Sendable, Mutation: Codable & Sendable, State: Codable & Sendable>:
  Sendable
{
  typealias Buffer = EntryBuffer<Action, Mutation, State>
  typealias Output = RecordingOutput<Action, Mutation, State>

  private let queue = DispatchQueue(label: "millrace.recording", qos: .utility)

  /// Used on the queue alone; nil once it was closed, or has failed.
  private let output: Lock<Output?>
  private let report: @Sendable (RecordingError) -> Void

  init(_ output: Output, report: @escaping @Sendable (RecordingError) -> Void) {
    self.output = Lock(output)
    self.report = report
  }

  /// Opens the place to write to, before anything that is taken later.
  func begin(_ start: RecordedState<State>, _ intake: RecordingIntake<Buffer>) {
    queue.async {
      self.attempt(intake) { output throws(RecordingError) in try output.begin(start) }
    }
  }

  /// Writes all that waits, soon; returns at once.
  func wake(_ intake: RecordingIntake<Buffer>) {
    queue.async { self.drain(intake) }
  }

  /// Writes all that was taken before, and closes.
  func finish(_ intake: RecordingIntake<Buffer>) async {
    await flush(intake)
    output.withLock { output in
      output?.close()
      output = nil
    }
  }

  /// Writes all that was taken before.
  func flush(_ intake: RecordingIntake<Buffer>) async {
    await withCheckedContinuation { continuation in
      queue.async {
        self.drain(intake)
        continuation.resume()
      }
    }
  }

  /// Tells of something that does not end the recording.
  func tell(_ error: RecordingError) {
    queue.async { self.report(error) }
  }

  private func drain(_ intake: RecordingIntake<Buffer>) {
    while let entries = intake.withKeep({ $0.take() }) {
      attempt(intake) { output throws(RecordingError) in
        try output.write(entries)
        guard output.wantsState else { return }
        intake.withKeep { $0.wantsState = true }
      }
    }
  }

  /// Does something with the output; an error is its end.
  private func attempt(
    _ intake: RecordingIntake<Buffer>, _ body: @Sendable (inout Output) throws(RecordingError) -> Void
  ) {
    let failure: RecordingError? = output.withLock { output in
      guard var open = output else { return nil }
      output = nil  // Changed in place, not copied.
      do throws(RecordingError) {
        try body(&open)
        output = open
        return nil
      } catch {
        open.close()
        return error
      }
    }
    guard let failure else { return }
    intake.finish()
    report(failure.endingTheRecording)
  }
}

extension RecordingError {
  /// The same, with what it means for the recorder.
  fileprivate var endingTheRecording: RecordingError {
    RecordingError(
      code, line: line, description + " The recording has ended here, and the store goes on without it.")
  }
}
