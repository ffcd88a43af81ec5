#if SQLite
  import MillraceJournal
  import Testing

  /// A rule for damaged bytes, which is checked with each engine that has a disk.
  struct DamageConformance: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: @Sendable (any StoredJournalFixture) async throws -> Void

    init(_ name: String, _ check: @escaping @Sendable (any StoredJournalFixture) async throws -> Void) {
      testDescription = name
      self.check = check
    }

    static let all = [
      DamageConformance("A flipped bit of a payload is found, with the sequence and the fix") { fixture in
        var journal = try await fixture.open()
        let texts = (1...5).map { "payload number \($0) of five" }
        _ = await journal.append(texts.enumerated().map { JournalBatch(UInt64($0), $1) }, to: "a", after: .start)
        await journal.close()
        try await fixture.damage(texts[2])
        let error = try await failure {
          journal = try await fixture.open()
          _ = try await journal.all("a")
        }
        #expect(error.code == .corrupt && error.sequence == 3 && !error.isTransient)
        #expect(
          error.description == """
            Record 3 of "a" is missing or is not the one that was written, so the storage has damaged it; restore the journal from a \
            copy.
            """)
      },
      DamageConformance("A flipped bit of a snapshot is found, with the fix") { fixture in
        var journal = try await fixture.open()
        _ = await journal.append([JournalBatch(1, "1")], to: "a", after: .start)
        let text = "the state of this snapshot"
        try await journal.store(JournalSnapshot(sequence: 1, revision: 1, payload: Array(text.utf8)), of: "a")
        await journal.close()
        try await fixture.damage(text)
        let error = try await failure {
          journal = try await fixture.open()
          _ = try await journal.snapshot(of: "a")
        }
        #expect(error.code == .corrupt && error.description.contains("restore the journal from a copy"))
      },
    ]
  }
#endif
