#if SQLite
  import Foundation
  import Millrace
  import MillraceJournal
  import Testing

  @testable import PulseService

  @Suite("pulse with a journal, as a process", .timeLimit(.minutes(5)))
  struct KilledPulseTests {
    private let folder: JournalFolder

    init() throws { folder = try JournalFolder() }

    private struct Document: Decodable {
      struct Alert: Decodable, Equatable {
        var rule: String
        var subject: String
        var status: String
        var sinceSeconds: Double?
      }

      struct Target: Decodable, Equatable {
        var url: String
        var reason: String?
      }

      var revision: Int
      var elapsedSeconds: Double
      var alerts: [Alert]
      var targets: [Target]
    }

    private func documents(_ text: String) throws -> [Document] {
      // A line that a kill has cut is none.
      try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .map { try JSONDecoder().decode(Document.self, from: Data($0.utf8)) }
    }

    private func pulse(_ arguments: [String], limit: String? = nil) throws -> ChildProcess {
      try ChildProcess("pulse", ["--json", "--journal", folder.path()] + arguments, limit: limit)
    }

    @Test("After a SIGKILL it continues behind the last state that it has written, with its history and its alerts")
    func killed() async throws {
      let arguments = ["--every", "0.01", "--alert", "load >= 0", "--alert", "memory >= 0 % for 1 h"]
      var last: Document?
      for life in 1...6 {
        let pulse = try pulse(arguments)
        var text = await pulse.lines(life, andBytes: life * 31)
        pulse.send(SIGKILL)
        text += await pulse.rest
        let complaints = await pulse.complaints
        #expect(await pulse.end == .signal(SIGKILL), "\(complaints)")
        let written = try documents(text)
        let first = try #require(written.first)
        if let last {
          // The first state of a process is that of its start, which is one commit.
          #expect(first.revision > last.revision && first.elapsedSeconds >= last.elapsedSeconds)
          #expect(first.alerts[0] == last.alerts[0] && first.alerts[0].status == "firing")
          #expect(first.alerts.map(\.status) == last.alerts.map(\.status))
        }
        last = written.last
        // Each commit is a start or a reading, and each reading but the first one of a process is a sample.
        let journal = try await SQLiteJournal(folder.copyJournal())
        let plan = MonitoringService.Plan()
        let store = try await plan.open(Self.monitor, on: journal, configuration: StoreConfiguration(), now: .now)
        let snapshot = await store.snapshot
        #expect(snapshot.revision - 1 >= written.last?.revision ?? 0)
        #expect(snapshot.state.series[.memory]?.count == min(120, snapshot.revision - 1 - 2 * life))
        await store.shutdown()
        await journal.close()
      }
    }

    /// The interactor of a store that is only read.
    private static var monitor: PulseMonitor {
      PulseMonitor(
        machine: ProcMachineGateway(), endpoints: LiveEndpointGateway(limit: .seconds(1)),
        webhooks: LiveWebhookGateway(host: "", limit: .seconds(1)), rules: nil, stopwatch: Stopwatch(ContinuousClock()))
    }

    @Test("The result of a probe survives a SIGKILL, until its target is not watched any more")
    func targets() async throws {
      // Nothing listens there.
      let arguments = ["--every", "1", "--watch", "tcp://127.0.0.1:1", "--alert", "target down"]
      let first = try pulse(arguments)
      _ = await first.lines(1) { $0.contains("\"firing\"") }
      first.send(SIGKILL)
      #expect(await first.end == .signal(SIGKILL))
      let second = try pulse(arguments)
      let restored = try #require(try documents(await second.lines(1)).first)
      #expect(restored.targets.map(\.reason) == ["connection refused"] && restored.alerts.map(\.status) == ["firing"])
      second.send(SIGKILL)
      #expect(await second.end == .signal(SIGKILL))
      let third = try pulse(["--once"])
      let last = try #require(try documents(await third.rest).last)
      #expect(last.targets.isEmpty && last.alerts.isEmpty)
      #expect(await third.end == .exit(0))
    }

    @Test(
      "It refuses to start beside a live one, which it names, also by another name of the file, and starts when that was killed"
    )
    func two() async throws {
      let link = folder.path("link")
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path())
      // The file is missing, and both names have one lock already.
      let first = try ChildProcess("pulse", ["--json", "--every", "0.05", "--journal", link])
      _ = await first.lines(1)
      for path in [folder.path(), link] {
        let second = try ChildProcess("pulse", ["--once", "--journal", path])
        #expect(
          await second.complaints
            == "pulse does not start without its journal. '\(folder.path())' is the journal of another pulse, process \(first.id); "
            + "end that one, or name another file.\n")
        #expect(await second.rest == "")
        #expect(await second.end == .exit(73))
      }
      // The refusal has not taken the lock from the live one.
      _ = await first.lines(1)
      first.send(SIGKILL)
      #expect(await first.end == .signal(SIGKILL))
      let third = try pulse(["--once"])
      #expect(await third.complaints == "")
      #expect(await third.end == .exit(0))
    }

    @Test("A file that cannot be used is a sentence, and is left as it is")
    func unusable() async throws {
      try Data("Dear diary,".utf8).write(to: URL(filePath: folder.path("diary")))
      let cases: [(String, Int32, String)] = [
        (
          "/nowhere/journal", 64,
          "--journal was given '/nowhere/journal', whose folder does not exist; make it, or name a file in another one."
        ),
        (
          folder.path("diary"), 73,
          "pulse does not start without its journal. '\(folder.path("diary"))' is no database, and is left as it is; give the "
            + "journal the name of a file of its own."
        ),
        (
          "/proc/\u{1B}[2Jjournal", 73,
          "pulse does not start without its journal. '/proc/\\u{1B}[2Jjournal' cannot be locked (No such file or directory); name a file "
            + "in a folder that can be written to, on a local disk."
        ),
      ]
      for (path, code, sentence) in cases {
        let pulse = try ChildProcess("pulse", ["--once", "--journal", path])
        #expect(await pulse.complaints == sentence + "\n")
        #expect(await pulse.rest == "")
        #expect(await pulse.end == .exit(code))
      }
      #expect(try String(contentsOfFile: folder.path("diary"), encoding: .utf8) == "Dear diary,")
    }

    /// A pulse whose mutations and state have other members.
    private struct EarlierPulse: Interactor {
      struct State: Codable, Sendable {
        var count = 0
      }

      typealias Action = String
      typealias Mutation = Int

      func decide(_ action: String, state: State) -> Decision<Int> { .mutate(state.count) }

      static func reduce(into state: inout State, mutation: Int) { state.count += 1 }
    }

    @Test(
      "A journal of an earlier pulse that does not decode is a sentence with the file and the fix, and is left as it is",
      arguments: [false, true])
    func earlier(hasSnapshot: Bool) async throws {
      let journal = try await SQLiteJournal(folder.path())
      var options = JournalOptions()
      options.snapshotAtShutdown = hasSnapshot
      let store = try await Store.open(
        initial: .init(), interactor: EarlierPulse(), journal: journal, key: "pulse", options: options)
      #expect(await store.send("a").outcome.kind == .finished)
      await store.shutdown()
      let last = try await journal.lastSequence(of: "pulse")
      await journal.close()
      let reason =
        hasSnapshot
        ? "The snapshot of \"pulse\" at \(last) is whole and cannot be read: \"state.historyLimit\" is missing; the records before "
          + "it were removed, so read it with the version of the program that wrote it, or add the step to the schema."
        : "Record \(last) of \"pulse\" is whole and cannot be read: \"mutations[0]\" is no Dictionary<String, Any>; read it with "
          + "the version of the program that wrote it."
      for _ in 1...2 {
        let pulse = try pulse(["--once"])
        #expect(
          await pulse.complaints
            == "pulse does not start without its journal '\(folder.path())'. \(reason) The file is left as it is; name another one "
            + "to begin anew.\n")
        #expect(await pulse.rest == "")
        #expect(await pulse.end == .exit(73))
      }
      let same = try await SQLiteJournal(folder.path())
      #expect(try await same.lastSequence(of: "pulse") == last)
      await same.close()
    }

    @Test("Others may not read its file, which has the secrets of URLs")
    func permissions() async throws {
      let pulse = try pulse(["--once"], limit: "umask 0")
      #expect(await pulse.end == .exit(0))
      for name in ["journal", "journal-lock"] {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
        #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
      }
    }

    @Test("A disk that is full ends it with a sentence, and it continues when there is room again")
    func full() async throws {
      // A file that may not grow fails as a full disk does.
      let pulse = try pulse(["--every", "0.01"], limit: "trap '' XFSZ; ulimit -f 400")
      let text = await pulse.rest
      let last = try #require(try documents(text).last)
      #expect(
        await pulse.complaints.hasPrefix("pulse ends, because its journal has failed. '\(folder.path())' failed: "))
      #expect(await pulse.end == .exit(74))
      let next = try self.pulse(["--every", "0.05"])
      let first = try #require(try documents(await next.lines(1)).first)
      #expect(first.revision > last.revision)
      next.send(SIGTERM)
      _ = await next.rest
      #expect(await next.end == .exit(0))
    }

    @Test("After a SIGTERM the journal is one file beside its lock")
    func ended() async throws {
      let pulse = try pulse(["--every", "0.05"])
      _ = await pulse.lines(2)
      pulse.send(SIGTERM)
      _ = await pulse.rest
      #expect(await pulse.complaints == "")
      #expect(await pulse.end == .exit(0))
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("."))
      #expect(names.sorted() == ["journal", "journal-lock"])
    }
  }
#endif
