#if SQLite
  import Foundation
  import MillraceTesting
  import Testing

  /// A process that continues a journal, and is killed at a random byte of its output.
  struct KilledProcess {
    /// `MILLRACE_KILLS` processes, or 20.
    static let count = ProcessInfo.processInfo.environment["MILLRACE_KILLS"].flatMap { Int($0) } ?? 20

    /// The largest number of processes that continue one log; a log is read by each of them.
    private static let perLog = 20

    /// The logs, each with the lives of its processes.
    static var logs: [(number: Int, lives: Range<Int>)] {
      stride(from: 0, to: count, by: perLog).map { ($0 / perLog, 0..<min(perLog, count - $0)) }
    }

    /// The log, the life and the place of the kill, as the beginning of a complaint.
    let place: String

    /// The whole lines of standard output.
    let lines: [Substring]

    /// Starts the program, and kills it.
    ///
    /// Each second process is killed at its start, while it opens its log, or shortly after: then many runs are being handled again.
    ///
    /// - Parameters:
    ///   - mode: The argument behind the file and the life; nil for none.
    ///   - most: The largest number of acknowledgements after which a process is killed; a tenth of it for one that is killed early.
    ///   - isAcknowledgement: Whether a line is an acknowledgement.
    init(
      in folder: JournalFolder, log: Int, life: Int, mode: String? = nil, most: Int = 40,
      _ random: inout SeededGenerator, isAcknowledgement: @escaping @Sendable (String) -> Bool
    ) async throws {
      let (isEarly, bytes) = (life.isMultiple(of: 2), Int.random(in: 0...200, using: &random))
      let lines = Int.random(in: isEarly ? 0...most / 10 : 0...most, using: &random)
      place =
        "log \(log), life \(life), killed after \(lines) \(isEarly ? "lines" : "acknowledgements and \(bytes) bytes")"
      let process = try ChildProcess("MillraceJournalKill", [folder.path(), "\(life)"] + (mode.map { [$0] } ?? []))
      var text = await process.lines(lines, andBytes: isEarly ? 0 : bytes) { isEarly || isAcknowledgement($0) }
      process.send(SIGKILL)
      text += await process.rest
      let complaints = await process.complaints
      #expect(await process.end == .signal(SIGKILL), "\(place): \(complaints)")
      // A line that the kill has cut is none.
      self.lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }
  }
#endif
