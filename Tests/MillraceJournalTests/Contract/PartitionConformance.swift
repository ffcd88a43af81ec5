import MillraceJournal
import Testing

extension JournalConformance {
  /// The rules of `PartitionedJournal` for claims, appends and wake times.
  static let dividing = [
    JournalConformance(
      "K5: A claim fences the earlier owner for every key of the partition, and the error names the newcomer"
    ) {
      fixture in
      let journal = try await fixture.open()
      let first = try await journal.claim(.of("orders"), as: JournalEpoch(host: "first", process: 1, time: 0))
      #expect(await journal.append([.init(1, "1", to: "a")], claim: first).map(\.stored) == [1])
      let second = try await journal.claim(.of("orders"), as: JournalEpoch(host: "second", process: 2, time: 0))
      #expect(second.epoch > first.epoch)
      // Also a key that the newcomer has not opened, and one that is new.
      let results = await journal.append([.init(2, "2", to: "a", after: 1), .init(2, "2", to: "b")], claim: first)
      for result in results {
        #expect(result.stored == 0 && result.failure?.code == .conflict && result.failure?.newcomer?.process == 2)
        #expect(
          result.failure?.description.hasPrefix(
            #"Partition 0 of "orders" belongs to another process: process 2 on second, since "#) == true)
      }
      #expect(try await failure { try await journal.erase(.order("a"), claim: first) }.code == .conflict)
      #expect(await journal.append([.init(3, "3", to: "a", after: 1)], claim: second).map(\.last) == [2])
      #expect(try await journal.texts(.order("a")) == ["1", "3"])
      #expect(try await journal.lastSequence(of: .order("b")) == .start)
    },
    JournalConformance("A claim that the journal does not know is lost, and stores nothing") { fixture in
      var journal = try await fixture.open()
      let claim = JournalClaim(.of("orders"), epoch: 1)
      #expect(await journal.append([.init(1, "1", to: "a")], claim: claim).first?.failure?.code == .lost)
      let made = try await journal.claim(.of("orders"), as: .now())
      journal = try await fixture.reopen(journal)
      #expect(await journal.append([.init(1, "1", to: "a")], claim: made).first?.stored == 1)
      let later = JournalClaim(.of("orders"), epoch: 2)
      let error = await journal.append([.init(2, "2", to: "a", after: 1)], claim: later).first?.failure
      #expect(error?.code == .lost)
      #expect(
        error?.description.hasPrefix(#"The journal does not know claim 2 of partition 0 of "orders", and had"#) == true)
      #expect(try await journal.texts(.order("a")) == ["1"])
    },
    JournalConformance("K5: A claim with the number of the newest one and another name is lost, and changes nothing") {
      fixture in
      let journal = try await fixture.open()
      let owner = JournalEpoch(host: "newcomer", process: 7, time: 0)
      let newest = try await journal.claim(.of("orders"), as: owner)
      #expect(await journal.append([.init(1, "1", to: "a")], claim: newest)[0].stored == 1)
      // A journal that was restored from an older copy gives a number out again.
      let other = JournalClaim(.of("orders"), epoch: newest.epoch, name: newest.name &+ 1)
      let failed = await journal.append([.init(2, "2", to: "a", after: 1), .init(2, "2", to: "b")], claim: other)
      for result in failed {
        #expect(result.stored == 0 && result.failure?.code == .lost && result.failure?.newcomer == owner)
        #expect(
          result.failure?.description.contains("another claim with this number belongs to process 7 on newcomer")
            == true)
      }
      #expect(try await failure { try await journal.erase(.order("a"), claim: other) }.code == .lost)
      if let shared = journal as? any SharedJournal { try await shared.release([other]) }
      #expect(await journal.append([.init(3, "3", to: "a", after: 1)], claim: newest)[0].stored == 1)
      #expect(try await journal.texts(.order("a")) == ["1", "3"])
      #expect(try await journal.lastSequence(of: .order("b")) == .start)
    },
    JournalConformance("A conflict of one key, or a batch that is too large, leaves the other keys of an append alone")
    {
      fixture in
      let journal = try await fixture.open(largestBatch: 1_000)
      let claim = try await journal.claim(.of("orders"), as: .now())
      #expect(await journal.append([.init(1, "1", to: "b")], claim: claim).map(\.stored) == [1])
      let large = JournalBatch(3, String(repeating: "x", count: 1_000))
      let results = await journal.append(
        [
          .init(2, "2", to: "a"), .init(2, "2", to: "b", after: 4), .init(2, "2", to: "b"),
          JournalKeyAppend([JournalBatch(2, "2"), large, JournalBatch(4, "4")], to: .order("c"), after: .start),
          .init(3, "3", to: "a", after: 1), .init(3, "3", to: "b", after: 1),
        ], claim: claim)
      #expect(results.map(\.stored) == [1, 0, 0, 1, 1, 1])
      #expect(results.map(\.last) == [1, 4, 0, 1, 2, 2])
      #expect(results.map(\.failure?.code) == [nil, .lost, .conflict, .tooLarge, nil, nil])
      for (key, texts) in [("a", ["2", "3"]), ("b", ["1", "3"]), ("c", ["2"])] {
        #expect(try await journal.texts(.order(key)) == texts)
      }
      let page = try await journal.records(ofPartition: .of("orders"), after: .start, upTo: 1_000)
      #expect(page.items.map(\.position) == [1, 2, 3, 4, 5])
    },
    JournalConformance("A key that an append names several times gets its batches in their order") { fixture in
      let journal = try await fixture.open()
      let claim = try await journal.claim(.of("orders"), as: .now())
      let appends = (1...5 as ClosedRange<UInt64>).flatMap { number in
        ["a", "b"].map { JournalKeyAppend.init(number, "\(number)", to: $0, after: JournalSequence(number - 1)) }
      }
      let results = await journal.append(appends, claim: claim)
      #expect(results.map(\.stored) == Array(repeating: 1, count: 10))
      #expect(results.allSatisfy { $0.failure == nil })
      for key in ["a", "b"] { #expect(try await journal.texts(.order(key)) == ["1", "2", "3", "4", "5"]) }
    },
    JournalConformance("A key that belongs to no partition, or to another one than the claim, is refused with the fix")
    {
      fixture in
      let journal = try await fixture.open()
      let claim = try await journal.claim(.of("orders"), as: .now())
      let appends = ["a", JournalKey("a", of: "customers")].map {
        JournalKeyAppend([JournalBatch(1, "1")], to: $0, after: .start)
      }
      for result in await journal.append(appends, claim: claim) {
        #expect(result.stored == 0 && result.failure?.code == .otherPartition && result.failure?.isTransient == false)
      }
      let alone = await journal.append([JournalBatch(1, "1")], to: .order("a"), after: .start)
      #expect(alone.failure?.code == .otherPartition)
      #expect(
        alone.failure?.description == """
          The key "a" of "orders" is one of many stores, and has no log of its own; send to it by the stores of its name, or use another key.
          """)
      #expect(try await failure { try await journal.erase("a", claim: claim) }.code == .otherPartition)
      #expect(try await failure { try await journal.erase(.order("a"), claim: nil) }.code == .otherPartition)
      for number in [-1, try await journal.partitions(of: "orders")] {
        let none = JournalPartition(of: "orders", number: number)
        let error = try await failure { _ = try await journal.claim(none, as: .now()) }
        #expect(error.code == .otherPartition)
        #expect(error.description.hasPrefix("There is no partition \(number) of \"orders\": the stores have "))
      }
      #expect(try await journal.keys(after: nil) == [])
      #expect(try await journal.keys(of: "orders", prefix: "", after: nil) == [])
    },
    JournalConformance(
      "Keys of equal names in two stores, of a single store, and canonically equal ones, are different"
    ) {
      fixture in
      var journal = try await fixture.open()
      var claims = [
        try await journal.claim(.of("orders"), as: .now()), try await journal.claim(.of("customers"), as: .now()),
      ]
      let keys: [JournalKey] = [
        "é", "e\u{301}", JournalKey("é", of: "orders"), JournalKey("e\u{301}", of: "orders"),
        JournalKey("é", of: "customers"),
      ]
      for (number, key) in keys.enumerated() {
        let append = JournalKeyAppend([JournalBatch(1, "\(number)")], to: key, after: .start)
        let result =
          number < 2
          ? await journal.append(append.batches, to: key, after: .start)
          : await journal.append([append], claim: claims[number < 4 ? 0 : 1])[0]
        #expect(result.stored == 1)
      }
      journal = try await fixture.reopen(journal)
      for (number, key) in keys.enumerated() { #expect(try await journal.texts(key) == ["\(number)"]) }
      #expect(Set(keys.map(\.digest)).count == 5 && Set(keys).count == 5)
      #expect(try await journal.keys(after: nil) == ["e\u{301}", "é"])
      #expect(try await journal.records(ofPartition: .of("customers"), after: .start, upTo: 1).last == 1)
      // A claim of one leaves the other alone.
      claims[0] = try await journal.claim(.of("orders"), as: .now())
      #expect(
        await journal.append(
          [JournalKeyAppend([JournalBatch(2, "x")], to: keys[4], after: 1)], claim: claims[1])[0].stored == 1)
    },
    JournalConformance("K7: Keys of many stores come in order, by prefix and in pages") { fixture in
      let journal = try await fixture.open()
      let claim = try await journal.claim(.of("orders"), as: .now())
      let names = (0..<1_200).map { "\($0 % 2 == 0 ? "even" : "odd") \($0)" } + ["even", "", "é"]
      _ = await journal.append(names.map { .init(1, "1", to: $0) }, claim: claim)
      let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      for prefix in ["", "even", "even 11", "odd 9", "é", "none"] {
        var (found, pages): ([JournalKey], Int) = ([], 0)
        while true {
          let page = try await journal.keys(of: "orders", prefix: prefix, after: found.last?.name)
          if page.isEmpty { break }
          found += page
          pages += 1
        }
        #expect(found.map(\.name) == sorted.filter { $0.hasPrefix(prefix) })
        #expect(found.allSatisfy { $0.stores == "orders" } && pages == (found.count + 999) / 1_000)
      }
    },
    JournalConformance("K4: A wake time is stored with its batch, and the keys that are due come in order and in pages")
    {
      fixture in
      var journal = try await fixture.open()
      let claim = try await journal.claim(.of("orders"), as: .now())
      let wakes: [JournalWake] = [.at(30), .now, .never, .at(20), .at(30), .keep, .at(-5)]
      let appends = zip("abcdefg", wakes).map { name, wake in
        JournalKeyAppend(
          [JournalBatch(id: .init(writer: 1, number: 1), entries: [.text("1")], wake: wake)], to: .order("\(name)"),
          after: .start)
      }
      #expect(await journal.append(appends, claim: claim).allSatisfy { $0.stored == 1 })
      func due(before time: Int64, after: JournalDue? = nil, upTo count: Int = 100) async throws -> [String] {
        try await journal.due(in: .of("orders"), before: time, after: after, upTo: count)
          .map { "\($0.key.name) \($0.wake)" }
      }
      #expect(try await due(before: 0) == [])
      #expect(try await due(before: 1) == ["b 0", "g 0"])
      #expect(try await due(before: 30) == ["b 0", "g 0", "d 20"])
      #expect(try await due(before: 31) == ["b 0", "g 0", "d 20", "a 30", "e 30"])
      #expect(try await due(before: 31, after: JournalDue(.order("b"), wake: 0), upTo: 2) == ["g 0", "d 20"])
      #expect(try await due(before: 31, after: JournalDue(.order("a"), wake: 30)) == ["e 30"])
      // A later batch moves the time, keeps it or takes it away; one that conflicts changes nothing.
      let changes: [(String, JournalWake, JournalSequence)] = [
        ("a", .at(10), 1), ("b", .keep, 1), ("d", .never, 1), ("e", .never, 0), ("g", .at(40), 1),
      ]
      _ = await journal.append(
        changes.map { name, wake, last in
          JournalKeyAppend(
            [JournalBatch(id: .init(writer: 1, number: 2), entries: [.text("2")], wake: wake)], to: .order(name),
            after: last)
        }, claim: claim)
      journal = try await fixture.reopen(journal)
      #expect(try await due(before: .max) == ["b 0", "a 10", "e 30", "g 40"])
      var all: [Int64?] = []
      for name in ["a", "b", "c", "d", "g", "none"] { all.append(try await journal.wake(of: .order(name))) }
      #expect(all == [10, 0, nil, nil, 40, nil])
      #expect(try await journal.due(in: .of("customers"), before: .max, after: nil, upTo: 9) == [])
    },
  ]
}

extension JournalPartition {
  /// The first partition of these stores.
  static func of(_ stores: String) -> JournalPartition { JournalPartition(of: stores, number: 0) }
}

extension JournalKey {
  /// A key of the stores "orders".
  static func order(_ name: String) -> JournalKey { JournalKey(name, of: "orders") }
}

extension JournalEntry {
  static func text(_ text: String) -> JournalEntry { JournalEntry(kind: .emit, payload: Array(text.utf8)) }
}

extension JournalKeyAppend {
  /// The append of a batch with one entry to an order.
  init(_ number: UInt64, _ text: String, to name: String, after last: JournalSequence = .start) {
    self.init([JournalBatch(number, text)], to: .order(name), after: last)
  }
}
