#if SQLite
  import Foundation
  import MillraceFlags

  /// Starts the service, kills it at a record of its log, starts it again, and looks at the gateways; for each record.
  struct CrashRun {
    func run() async throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "orders-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      var (kills, record) = (0, 0)
      repeat {
        record += 1
        var wasKilled = false
        for point in ["before:\(record)", "after:\(record)"] {
          if try await check(point, in: folder.appending(path: point)) {
            (kills, wasKilled) = (kills + 1, true)
            StandardError.writeLine("killed \(point), started again: each gateway did each thing once")
          }
        }
        if !wasKilled { break }
      } while true
      print(
        """
        Killed \(kills) times: before and after each of \(record - 1) records. After each, every gateway did each thing once:
        \(Service.requests.joined(separator: "\n"))
        """)
    }

    /// Kills the service at a point and starts it again; returns false if it was done before that.
    private func check(_ point: String, in folder: URL) async throws -> Bool {
      let end = try await Self.start(["--folder", folder.path, "--kill", point])
      guard end.reason == .uncaughtSignal else {
        guard end.code == 0 else { throw Failure(description: "The service ended with \(end.code) before \(point).") }
        return false
      }
      let last = try await Self.start(["--folder", folder.path])
      let done = try Service(folder: folder).done
      guard last.reason == .exit, last.code == 0, done == Service.requests else {
        throw Failure(
          description:
            "Killed \(point), the service ended with \(last.code), and the gateways did: \(done.joined(separator: ", "))."
        )
      }
      return true
    }

    /// Starts this program as another process, and returns how it ends.
    private static func start(_ arguments: [String]) async throws -> (reason: Process.TerminationReason, code: Int32) {
      let process = Process()
      process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      process.arguments = arguments
      process.standardOutput = FileHandle.nullDevice
      let (ends, end) = AsyncStream.makeStream(of: (Process.TerminationReason, Int32).self)
      process.terminationHandler = {
        end.yield(($0.terminationReason, $0.terminationStatus))
        end.finish()
      }
      try process.run()
      for await (reason, code) in ends { return (reason, code) }
      throw CancellationError()
    }
  }
#endif
