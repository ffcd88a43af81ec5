#if SQLite
  import Foundation
  import Millrace
  import MillraceJournal
  import MillraceTesting
  import Testing

  @testable import MillraceJournalKill

  @Suite("A journaled store in a process that is killed", .timeLimit(.minutes(60)))
  struct KilledProcessTests {
    @Test(
      "D1, D2, D3: after a SIGKILL at any byte of its output all that a process acknowledged is there, no decision is split, and no run is open"
    )
    func killed() async throws {
      var random = SeededGenerator(seed: 16)
      var (acknowledged, hasSnapshot) = (0, false)
      for (log, lives) in KilledProcess.logs {
        let folder = try JournalFolder()
        var check = Check()
        for life in lives {
          let process = try await KilledProcess(in: folder, log: log, life: life, &random) {
            Acknowledgement($0) != nil
          }
          check.add(process.lines.compactMap { Acknowledgement($0) })
          let problems = try await check.problems(of: folder.copyJournal())
          #expect(problems == [], "\(process.place)")
          if !problems.isEmpty { return }
        }
        acknowledged += check.acknowledged.count
        let journal = try await SQLiteJournal(folder.path())
        if try await journal.snapshot(of: "parcels") != nil { hasSnapshot = true }
        await journal.close()
      }
      #expect(acknowledged > KilledProcess.count && hasSnapshot, "the processes make progress")
    }
  }

  /// The acknowledgements of all processes of one log, and what the log has to hold.
  private struct Check {
    private(set) var acknowledged: [Acknowledgement] = []

    mutating func add(_ acknowledgements: [Acknowledgement]) { acknowledged += acknowledgements }

    /// Opens a journal as the next process does, and lets everything that is open end.
    func problems(of path: String) async throws -> [String] {
      let journal = try await SQLiteJournal(path)
      var problems = try await missing(in: journal)
      let store = try await Store.open(
        initial: Parcels.State(), interactor: Parcels(), journal: journal, key: "parcels")
      problems += self.problems(of: await store.state)
      await store.shutdown(drainFor: .seconds(30))
      let end = await store.state
      for (number, piece) in end.pieces where piece < Parcels.count && !end.closed.contains(number) {
        problems.append("the parcel \(number) is open for ever")
      }
      await journal.close()
      return problems
    }

    /// The sequences behind the newest snapshot that the log does not have.
    private func missing(in journal: SQLiteJournal) async throws -> [String] {
      var (position, problems) = (try await journal.snapshot(of: "parcels")?.sequence ?? .start, [String]())
      while true {
        let page = try await journal.records(of: "parcels", after: position)
        for record in page.records {
          if record.sequence.number != position.number + 1 { problems.append("\(record.sequence) follows \(position)") }
          position = record.sequence
        }
        if position >= page.last { return problems }
      }
    }

    private func problems(of state: Parcels.State) -> [String] {
      var problems: [String] = []
      let firsts = stride(from: 0, to: state.notes.count, by: Parcels.count).map { state.notes[$0] }
      if state.notes != firsts.flatMap({ $0..<$0 + Parcels.count }) { problems.append("a decision is split") }
      let (noted, present) = (Set(firsts), Set(firsts).union(state.pieces.keys))
      if noted.count != firsts.count { problems.append("a decision is there twice") }
      for number in state.reopened where !state.closed.contains(number) {
        problems.append("the parcel \(number) was opened twice for one key")
      }
      for acknowledgement in acknowledged {
        let isThere =
          switch acknowledgement {
          case .noted(let number): noted.contains(number)
          case .opened(let number): state.pieces[number] != nil
          case .packed(let number): state.pieces[number] == Parcels.count && !state.closed.contains(number)
          }
        if !isThere { problems.append("'\(acknowledgement.line)' was acknowledged, and is lost") }
      }
      // A sender waits for each outcome, so of its numbers there is a first part.
      for number in present where !present.contains(number - Parcels.count) && !Program.isFirst(number) {
        problems.append("\(number) is there, and the one before it is not")
      }
      for (number, piece) in state.pieces
      where !Program.isPackedAgain(number) && piece < Parcels.count && !state.closed.contains(number) {
        problems.append("the parcel \(number) is neither packed nor closed")
      }
      return problems
    }
  }
#endif
