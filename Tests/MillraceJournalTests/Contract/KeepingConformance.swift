import MillraceJournal
import Testing

extension JournalConformance {
  static let keeping = [
    JournalConformance("The newest snapshot is kept, an older one changes nothing, and one ahead of the log is refused")
    { fixture in
      let journal = try await fixture.open()
      _ = await journal.append([JournalBatch(1, "1", "2", "3")], to: "a", after: .start)
      #expect(try await journal.snapshot(of: "a") == nil)
      let second = JournalSnapshot(sequence: 2, revision: 2, payload: Array(0...255), schemaVersion: 4)
      try await journal.store(second, of: "a")
      #expect(try await journal.snapshot(of: "a") == second)
      try await journal.store(JournalSnapshot(sequence: 1, revision: 1, payload: [1]), of: "a")
      #expect(try await journal.snapshot(of: "a") == second)
      let third = JournalSnapshot(sequence: 3, revision: 3, payload: Array(repeating: 1, count: 300_000))
      try await journal.store(third, of: "a")
      #expect(try await journal.snapshot(of: "a") == third)
      let again = JournalSnapshot(sequence: 3, revision: 3, payload: [])
      try await journal.store(again, of: "a")
      #expect(try await journal.snapshot(of: "a") == again)
      for key: JournalKey in ["a", "b"] {
        let error = try await failure {
          try await journal.store(JournalSnapshot(sequence: 4, revision: 4, payload: []), of: key)
        }
        #expect(error.code == .ahead && error.sequence == 4)
        #expect(
          error.description == """
            The snapshot of "\(key)" at 4 is ahead of its log, which ends at \(key == "a" ? 3 : 0); store a snapshot once its records \
            are durable.
            """)
      }
      #expect(try await journal.snapshot(of: "a") == again)
      #expect(try await journal.snapshot(of: "b") == nil)
    },
    JournalConformance("Truncation removes what the snapshot covers, and later records keep their sequences") {
      fixture in
      let journal = try await fixture.open()
      _ = await journal.append(
        [JournalBatch(1, "1", "2"), JournalBatch(2, "3"), JournalBatch(3, "4")], to: "a", after: .start)
      _ = await journal.append([JournalBatch(1, "x")], to: "b", after: .start)
      var error = try await failure { try await journal.truncate("a", through: 2) }
      #expect(error.code == .ahead)
      #expect(
        error.description
          == #"The log of "a" cannot be truncated through 2, because there is no snapshot; store a snapshot first."#)
      try await journal.store(JournalSnapshot(sequence: 3, revision: 3, payload: [9]), of: "a")
      error = try await failure { try await journal.truncate("a", through: 4) }
      #expect(error.code == .ahead && error.description.contains("the snapshot covers the records up to 3 only"))
      #expect(try await journal.texts("a") == ["1", "2", "3", "4"])
      try await journal.truncate("a", through: 3)
      try await journal.truncate("a", through: 2)
      #expect(try await journal.texts("a", after: 3) == ["4"])
      for start: JournalSequence in [0, 2] {
        let error = try await failure { _ = try await journal.records(of: "a", after: start) }
        #expect(error.code == .truncated && error.sequence == 3)
        #expect(
          error.description.hasSuffix("removed up to 3, because a snapshot covers them; begin with the snapshot."))
      }
      #expect(try await journal.snapshot(of: "a")?.payload == [9])
      #expect(await journal.append([JournalBatch(4, "5")], to: "a", after: 4).last == 5)
      #expect(try await journal.all("a", after: 3).map(\.sequence) == [4, 5])
      #expect(try await journal.texts("b") == ["x"])
    },
    JournalConformance("A snapshot is stored and the records that it covers are removed in one call, at most 10,000") {
      fixture in
      var journal = try await fixture.open()
      _ = await journal.append(
        (1...3).map { JournalBatch($0, "\($0)") } + [JournalBatch(4, Array(repeating: "x", count: 12_000))], to: "a",
        after: .start)
      #expect(
        try await journal.store(JournalSnapshot(sequence: 2, revision: 2, payload: [2]), of: "a", truncatingBefore: nil)
          == .start)
      #expect(
        try await journal.store(
          JournalSnapshot(sequence: 3, revision: 3, payload: [3]), of: "a", truncatingBefore: .max) == 3)
      journal = try await fixture.reopen(journal)
      #expect(try await failure { _ = try await journal.records(of: "a", after: 2) }.sequence == 3)
      #expect(try await journal.snapshot(of: "a")?.payload == [3])
      // An older snapshot is not stored, and what it covers is removed already.
      #expect(
        try await journal.store(
          JournalSnapshot(sequence: 1, revision: 1, payload: [1]), of: "a", truncatingBefore: .max) == 3)
      #expect(try await journal.snapshot(of: "a")?.payload == [3])
      let last = JournalSnapshot(sequence: 12_003, revision: 4, payload: [4])
      #expect(try await journal.store(last, of: "a", truncatingBefore: .max) == 10_003)
      #expect(try await journal.truncate("a", through: 12_003) == 12_003)
      let error = try await failure {
        try await journal.store(
          JournalSnapshot(sequence: 12_004, revision: 5, payload: [5]), of: "a", truncatingBefore: .max)
      }
      #expect(error.code == .ahead)
      #expect(try await journal.snapshot(of: "a")?.payload == [4])
    },
    JournalConformance("A truncation removes the records that are older than a time, up to the first one that is not") {
      fixture in
      var journal = try await fixture.open()
      for (index, time) in ([10, 20, 30, 25, 40] as [Int64]).enumerated() {
        let number = UInt64(index + 1)
        let batch = JournalBatch(id: .init(writer: 1, number: number), entries: [.text("\(number)")], time: time)
        #expect(await journal.append([batch], to: "a", after: JournalSequence(number - 1)).last.number == number)
      }
      let snapshot = JournalSnapshot(sequence: 4, revision: 4, payload: [4])
      #expect(try await journal.store(snapshot, of: "a", truncatingBefore: 10) == .start)
      #expect(try await journal.texts("a") == ["1", "2", "3", "4", "5"])
      #expect(try await journal.store(snapshot, of: "a", truncatingBefore: 11) == 1)
      #expect(try await journal.truncate("a", through: 4, before: 11) == 1)
      journal = try await fixture.reopen(journal)
      #expect(try await journal.texts("a", after: 1) == ["2", "3", "4", "5"])
      // The clock was set back: the third record is not older, and the fourth one stays behind it.
      #expect(try await journal.truncate("a", through: 4, before: 28) == 2)
      #expect(try await journal.truncate("a", through: 3, before: 100) == 3)
      #expect(try await journal.truncate("a", through: 4, before: 100) == 4)
      #expect(try await journal.texts("a", after: 4) == ["5"])
    },
    JournalConformance(
      "K6: A truncation removes the oldest records beyond a size, whatever their times, and none that stays uncovered"
    ) { fixture in
      var journal = try await fixture.open()
      let texts = ["a", "bb", "ccc", "dddd", "eeeee"]
      for (index, text) in texts.enumerated() {
        let batch = JournalBatch(id: .init(writer: 1, number: UInt64(index)), entries: [.text(text)], time: 50)
        _ = await journal.append([batch], to: "a", after: JournalSequence(UInt64(index)))
      }
      let snapshot = JournalSnapshot(sequence: 4, revision: 4, payload: [4])
      #expect(try await journal.store(snapshot, of: "a", truncatingBefore: nil, keeping: 0) == .start)
      #expect(try await journal.store(snapshot, of: "a", truncatingBefore: 50, keeping: 10) == .start)
      #expect(try await journal.store(snapshot, of: "a", truncatingBefore: 50, keeping: 9) == 1)
      #expect(try await journal.truncate("a", through: 4, before: 50, keeping: 9) == 1)
      journal = try await fixture.reopen(journal)
      #expect(try await journal.texts("a", after: 1) == ["bb", "ccc", "dddd", "eeeee"])
      #expect(try await journal.truncate("a", through: 3, before: 50, keeping: 4) == 2)
      #expect(try await journal.truncate("a", through: 4, before: 50, keeping: 3) == 4)
      #expect(try await journal.texts("a", after: 4) == ["eeeee"])
    },
    JournalConformance(
      "A truncation removes at most 10,000 records in a call, and returns the last one that is removed"
    ) { fixture in
      var journal = try await fixture.open()
      let batches = (0..<22).map { number in
        JournalBatch(UInt64(number), (1...1_000).map { "\(number * 1_000 + $0)" })
      }
      #expect(await journal.append(batches, to: "a", after: .start).last == 22_000)
      try await journal.store(JournalSnapshot(sequence: 20_500, revision: 1, payload: []), of: "a")
      #expect(try await journal.truncate("a", through: 20_500) == 10_000)
      #expect(try await failure { _ = try await journal.records(of: "a", after: 9_999) }.sequence == 10_000)
      journal = try await fixture.reopen(journal)
      #expect(try await journal.records(of: "a", after: 10_000, upTo: 1).records.first?.text == "10001")
      #expect(try await journal.truncate("a", through: 20_000) == 20_000)
      #expect(try await journal.truncate("a", through: 20_500) == 20_500)
      #expect(try await journal.truncate("a", through: 1) == 20_500)
      #expect(try await journal.truncate("b", through: .start) == .start)
      #expect(try await journal.records(of: "a", after: 20_500).records.first?.text == "20501")
    },
    JournalConformance("A log of which everything was truncated continues where it ended") { fixture in
      var journal = try await fixture.open()
      _ = await journal.append([JournalBatch(1, "1", "2")], to: "a", after: .start)
      try await journal.store(JournalSnapshot(sequence: 2, revision: 2, payload: [9]), of: "a")
      try await journal.truncate("a", through: 2)
      #expect(try await journal.lastSequence(of: "a") == 2)
      journal = try await fixture.reopen(journal)
      #expect(try await journal.lastSequence(of: "a") == 2)
      #expect(try await journal.texts("a", after: 2) == [])
      #expect(await journal.append([JournalBatch(2, "3")], to: "a", after: .start).failure?.code == .conflict)
      #expect(await journal.append([JournalBatch(2, "3")], to: "a", after: 2).last == 3)
      #expect(try await journal.texts("a", after: 2) == ["3"])
    },
  ]
}
