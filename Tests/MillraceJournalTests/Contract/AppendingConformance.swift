import MillraceJournal
import Testing

extension JournalConformance {
  static let appending = [
    JournalConformance("Sequences begin with 1 and have no gaps, for each key by itself") { fixture in
      let journal = try await fixture.open()
      #expect(try await journal.lastSequence(of: "a") == .start)
      let first = await journal.append([JournalBatch(1, "1", "2"), JournalBatch(2, "3")], to: "a", after: .start)
      #expect(first.stored == 2 && first.last == 3 && first.failure == nil)
      #expect(await journal.append([JournalBatch(1, "x")], to: "b", after: .start).last == 1)
      #expect(await journal.append([JournalBatch(3, "4")], to: "a", after: 3).last == 4)
      #expect(try await journal.all("a").map(\.sequence) == [1, 2, 3, 4])
      #expect(try await journal.texts("a") == ["1", "2", "3", "4"])
      #expect(try await journal.texts("b") == ["x"])
      #expect(try await journal.lastSequence(of: "a") == 4)
    },
    JournalConformance("An append that expects another end conflicts and stores nothing") { fixture in
      let journal = try await fixture.open()
      _ = await journal.append([JournalBatch(1, "1", "2")], to: "a", after: .start)
      for wrong: JournalSequence in [0, 1] {
        let result = await journal.append([JournalBatch(2, "x")], to: "a", after: wrong)
        let error = try #require(result.failure)
        #expect(result.stored == 0 && result.last == wrong)
        #expect(error.code == .conflict && !error.isTransient && error.newcomer == nil)
        #expect(error.description.hasPrefix(#"The log of "a" ends at 2 and not at \#(wrong)"#))
      }
      #expect(try await journal.texts("a") == ["1", "2"])
    },
    JournalConformance("An append that expects records which the log does not have says that they are lost") {
      fixture in
      let journal = try await fixture.open()
      _ = await journal.append([JournalBatch(1, "1", "2")], to: "a", after: .start)
      for (key, wrong, last) in [("a", 3, 2), ("a", 9, 2), ("b", 1, 0)] as [(JournalKey, JournalSequence, Int)] {
        let result = await journal.append([JournalBatch(2, "x")], to: key, after: wrong)
        let error = try #require(result.failure)
        #expect(result.stored == 0 && result.last == wrong)
        #expect(error.code == .lost && !error.isTransient && error.sequence == JournalSequence(UInt64(last)))
        #expect(
          error.description.hasPrefix(
            "The log of \"\(key)\" ends at \(last), and the journal had acknowledged the records up to \(wrong), so"))
      }
      #expect(try await journal.texts("a") == ["1", "2"])
      #expect(try await journal.keys(after: nil) == ["a"])
    },
    JournalConformance("A call ends at the first batch that is not stored, and the batches before that one stay") {
      fixture in
      let journal = try await fixture.open(largestBatch: 1_000)
      let large = JournalBatch(2, String(repeating: "x", count: 1_000))
      let result = await journal.append(
        [JournalBatch(1, "1", "2"), large, JournalBatch(3, "3"), large], to: "a", after: .start)
      #expect(result.stored == 1 && result.last == 2 && result.failure?.code == .tooLarge)
      #expect(try await journal.texts("a") == ["1", "2"])
    },
    JournalConformance("A batch as large as the limit is stored, and a larger one is refused as a whole") { fixture in
      let journal = try await fixture.open(largestBatch: 1_000)
      #expect(journal.largestBatch == 1_000)
      let (half, rest) = (String(repeating: "x", count: 436), String(repeating: "y", count: 437))
      let fits = JournalBatch(1, half, half)
      #expect(fits.byteCount == 1_000)
      let refused = await journal.append([JournalBatch(2, half, rest)], to: "a", after: .start)
      #expect(refused.stored == 0 && refused.failure?.code == .tooLarge && refused.failure?.isTransient == false)
      #expect(refused.failure?.description.contains("1001 bytes is larger than the 1000") == true)
      #expect(await journal.append([fits], to: "a", after: .start).stored == 1)
      #expect(try await journal.texts("a") == [half, half])
    },
    JournalConformance("Of appends at once that expect the same end exactly one is stored") { fixture in
      let journal = try await fixture.open()
      let results = await withTaskGroup(of: JournalAppend.self) { group in
        for number in 0..<20 {
          group.addTask {
            await journal.append([JournalBatch(UInt64(number), "\(number)", "\(number)")], to: "a", after: .start)
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(results.filter { $0.stored == 1 }.count == 1)
      #expect(results.filter { $0.failure?.code == .conflict }.count == 19)
      let texts = try await journal.texts("a")
      #expect(texts.count == 2 && texts[0] == texts[1])
    },
    JournalConformance("A conflict of one key leaves appends to other keys at the same time alone") { fixture in
      let journal = try await fixture.open()
      _ = await journal.append([JournalBatch(0, "taken")], to: "key 3", after: .start)
      let stored = await withTaskGroup(of: (Int, JournalSequence).self) { group in
        for key in 0..<8 {
          group.addTask {
            var last = JournalSequence.start
            for number in 1...20 {
              last = await journal.append(
                [JournalBatch(UInt64(number), "\(number)")], to: JournalKey("key \(key)"), after: last
              ).last
            }
            return (key, last)
          }
        }
        return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
      for key in 0..<8 {
        #expect(stored[key] == (key == 3 ? 0 : 20))
        let texts = try await journal.texts(JournalKey("key \(key)"))
        #expect(texts == (key == 3 ? ["taken"] : (1...20).map { "\($0)" }))
      }
    },
    JournalConformance("A batch without entries stores nothing, and conflicts as any other") { fixture in
      let journal = try await fixture.open()
      let empty = JournalBatch(2)
      #expect(await journal.append([empty, JournalBatch(1, "1"), empty], to: "a", after: .start).stored == 3)
      #expect(await journal.append([empty], to: "a", after: .start).failure?.code == .conflict)
      #expect(try await journal.texts("a") == ["1"])
      #expect(await journal.append([empty], to: "b", after: .start).stored == 1)
      #expect(try await journal.keys(after: nil) == ["a"])
    },
    JournalConformance("A batch whose caller is cancelled is stored, and the caller learns of it") { fixture in
      let journal = try await fixture.open()
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await journal.append([JournalBatch(1, "1")], to: "a", after: .start)
      }
      #expect(await task.value.stored == 1)
      #expect(try await journal.texts("a") == ["1"])
    },
    JournalConformance("A closed journal refuses each call with a sentence") { fixture in
      let journal = try await fixture.open()
      await journal.close()
      await journal.close()
      let result = await journal.append([JournalBatch(1, "1")], to: "a", after: .start)
      #expect(result.failure?.code == .closed && result.stored == 0)
      let many = await journal.append([.init(1, "1", to: "a")], claim: JournalClaim(.of("orders"), epoch: 1))
      #expect(many.map(\.failure?.code) == [.closed])
      let snapshot = JournalSnapshot(sequence: 0, revision: 0, payload: [])
      for error in [
        try await failure { _ = try await journal.records(of: "a", after: .start) },
        try await failure { _ = try await journal.lastSequence(of: "a") },
        try await failure { _ = try await journal.snapshot(of: "a") },
        try await failure { try await journal.store(snapshot, of: "a") },
        try await failure { try await journal.truncate("a", through: 1) },
        try await failure { _ = try await journal.keys(after: nil) },
        try await failure { _ = try await journal.partitions(of: "s") },
        try await failure { _ = try await journal.claim(.of("s"), as: .now()) },
        try await failure { _ = try await journal.due(in: .of("s"), before: 0, after: nil, upTo: 1) },
        try await failure { _ = try await journal.records(ofPartition: .of("s"), after: .start, upTo: 1) },
        try await failure { _ = try await journal.keys(of: "s", prefix: "", after: nil) },
        try await failure { try await journal.erase("a", claim: nil) },
      ] {
        #expect(error.code == .closed)
        #expect(error.description == "The journal is closed; open it again, or close it after its stores.")
      }
    },
  ]
}
