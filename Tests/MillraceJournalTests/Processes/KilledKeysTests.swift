#if SQLite
  import Foundation
  import Millrace
  import MillraceTesting
  import Testing

  @testable import MillraceJournalKill

  @Suite("The stores of many keys in a process that is killed", .timeLimit(.minutes(60)))
  struct KilledKeysTests {
    @Test(
      "K3, K4, K6, D2: after a SIGKILL at any byte of its output all that a process acknowledged is there, once, no decision is split, and each key with an open run has to be opened"
    )
    func killed() async throws {
      var random = SeededGenerator(seed: 17)
      var acknowledged = 0
      for (log, lives) in KilledProcess.logs {
        let folder = try JournalFolder()
        var check = Check()
        for life in lives {
          let process = try await KilledProcess(in: folder, log: log, life: life, mode: "keys", most: 300, &random) {
            if case .done = KeyLine($0) { true } else { false }
          }
          let lines = process.lines.compactMap { KeyLine($0) }
          let rows = try StoredKeyRows(folder.copyJournal())
          let problems = check.problems(of: lines, rows)
          #expect(problems == [], "\(process.place)")
          if !problems.isEmpty { return }
        }
        acknowledged += check.acknowledged.count
        // A last process lets everything that is open end.
        let last = try ChildProcess("MillraceJournalKill", [folder.path(), "\(lives.upperBound)", "end"])
        let lines = await last.rest.split(separator: "\n").compactMap { KeyLine($0) }
        #expect(await last.complaints == "")
        #expect(await last.end == .exit(0))
        let rows = try StoredKeyRows(folder.copyJournal())
        #expect(check.problems(of: lines, rows) == [], "log \(log), at the end")
        #expect(lines.count == KeysProgram.keys.count && rows.contents.values.allSatisfy { $0.state.begun.isEmpty })
        #expect(rows.contents.values.allSatisfy { $0.openRuns.isEmpty })
      }
      #expect(acknowledged > KilledProcess.count, "the processes make progress")
    }
  }

  /// The acknowledgements of all processes of one log, and the content that the log has to have.
  private struct Check {
    private(set) var acknowledged: Set<String> = []
    private var numbers: [String: [(number: Int, revision: Int?)]] = [:]

    /// Checks the states that a process has written at its start, notes its acknowledgements, and checks the rows that it left.
    mutating func problems(of lines: [KeyLine], _ rows: StoredKeyRows) -> [String] {
      var problems = rows.problems
      for case .state(let key, let noted, let pending) in lines {
        problems += self.problems(of: key, noted, pending, "when the program starts")
      }
      for case .done(let key, let number, let revision) in lines {
        acknowledged.insert("\(key) \(number)")
        numbers[key, default: []].append((number, revision))
      }
      for key in KeysProgram.keys {
        let content = rows.contents[key] ?? StoredKeyRows.Content()
        let pending = content.state.timers.due(by: .max)
        problems += self.problems(of: key, content.state.noted, pending, "in the file")
        for number in content.state.begun where !KeysProgram.isHandled(number) {
          problems.append("the decision of \(number) in \(key) is split")
        }
        for case (let number, let revision?) in numbers[key] ?? [] where revision > content.snapshotRevision {
          if content.numbers[revision]?.contains(number) != true {
            problems.append("the record of \(number) with the revision \(revision) of \(key) is lost")
          }
        }
      }
      return problems
    }

    /// The acknowledged numbers that a state does not have exactly once.
    private func problems(of key: String, _ noted: [Int], _ pending: [Int], _ place: String) -> [String] {
      let (all, missing) = (noted + pending, Set(numbers[key]?.map(\.number) ?? []).subtracting(noted + pending))
      return Dictionary(grouping: all) { $0 }.filter { $0.value.count > 1 }.keys.sorted().map {
        "\($0) of \(key) is there twice \(place)"
      } + missing.sorted().map { "\($0) of \(key) was acknowledged, and is lost \(place)" }
    }
  }
#endif
