import Foundation
import Millrace

@testable import MillraceRecording

/// A place for lines that is as slow or as broken as a test says.
struct TestSink: RecordingSink {
  /// The entries that were written, and the failures that are to happen.
  final class Log: Sendable {
    private struct Content {
      var files: [Data] = []
      var closings = 0
      var failure: RecordingError?
      var whenWritten: @Sendable () -> Void = {}
    }

    private let content = Lock(Content())

    /// Entered before each write, by the writer's thread.
    let door = DispatchSemaphore(value: 0)
    /// Signalled by each write that has come to the door.
    let arrivals = DispatchSemaphore(value: 0)
    let isHeld: Bool

    init(isHeld: Bool = false, failure: RecordingError? = nil) {
      self.isHeld = isHeld
      content.withLock { $0.failure = failure }
    }

    var files: [Data] { content.withLock { $0.files } }
    var closings: Int { content.withLock { $0.closings } }

    /// Sets what is done after each write, by the writer's thread.
    func setWhenWritten(_ action: @escaping @Sendable () -> Void) {
      content.withLock { $0.whenWritten = action }
    }

    func begin(_ header: Data) {
      content.withLock { $0.files.append(header) }
    }

    func write(_ lines: Data) throws(RecordingError) {
      if isHeld {
        arrivals.signal()
        door.wait()
      }
      let failure: RecordingError? = content.withLock { content in
        if content.failure == nil { content.files[content.files.count - 1].append(lines) }
        return content.failure
      }
      if let failure { throw failure }
      content.withLock { $0.whenWritten }()
    }

    func close() {
      content.withLock { $0.closings += 1 }
    }
  }

  let log: Log

  func begin(_ header: Data) { log.begin(header) }
  func write(_ lines: Data) throws(RecordingError) { try log.write(lines) }
  func close() { log.close() }
}

extension FileRecorder {
  /// A recorder that writes to a sink of a test.
  convenience init(
    initial: I.State, to log: TestSink.Log, bytes: Int = 1 << 20, buffer: Int = 1_000, bufferBytes: Int = 1 << 20,
    checkpoint: Int = 256, redaction: Redaction<I> = Redaction(),
    clock: any Clock<Duration> = ContinuousClock(),
    report: @escaping @Sendable (RecordingError) -> Void = { _ in }
  ) {
    self.init(
      initial: initial, revision: 0, to: TestSink(log: log), bytes: bytes, buffer: buffer,
      bufferBytes: bufferBytes, checkpoint: checkpoint, redaction: redaction, clock: clock, began: 0, report: report)
  }
}
