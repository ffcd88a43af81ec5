import MillraceJournal
import Testing

extension JournalConformance {
  /// The rules of `PartitionedJournal` for positions and erasures.
  static let positioning = [
    JournalConformance("K6: Positions have no gaps, and a partition's records come in their order, whatever the page") {
      fixture in
      var journal = try await fixture.open()
      let claim = try await journal.claim(.of("orders"), as: .now())
      var ends: [String: JournalSequence] = [:]
      var given: [String] = []
      for number in 1...30 {
        let appends = ["a", "b", "c"].filter { $0 != "b" || number % 3 == 0 }.map { name in
          let texts = ["\(name)\(number)", "\(name)\(number)+"]
          given += texts
          defer { ends[name] = JournalSequence((ends[name]?.number ?? 0) + 2) }
          return JournalKeyAppend(
            [JournalBatch(UInt64(number), texts)], to: .order(name), after: ends[name] ?? .start)
        }
        #expect(await journal.append(appends, claim: claim).allSatisfy { $0.stored == 1 })
      }
      journal = try await fixture.reopen(journal)
      for size in [0, 1, 7, 100, 10_000] {
        let (items, pages) = try await journal.partition("orders", upTo: size)
        #expect(items.map(\.position.number) == Array(1...UInt64(given.count)))
        #expect(items.map(\.text) == given)
        #expect(pages == (size <= 1 ? given.count : pages) && pages > (size < 1_000 ? 1 : 0))
      }
      let places = try await journal.partition("orders", upTo: 10_000).items.filter { $0.text.hasPrefix("b") }
      #expect(try await journal.all(.order("b")).map(\.position) == places.map(\.position))
      let behind = try await journal.records(ofPartition: .of("orders"), after: 139, upTo: 1)
      #expect(behind.items.map(\.text) == ["c30+"] && behind.position == 140 && behind.last == 140)
      let end = try await journal.records(ofPartition: .of("orders"), after: 140, upTo: 1)
      #expect(end.items == [] && end.position == 140)
      let error = try await failure {
        _ = try await journal.records(ofPartition: .of("orders"), after: 141, upTo: 1)
      }
      #expect(error.code == .lost)
      #expect(
        error.description.hasPrefix(#"Partition 0 of "orders" ends at position 140, and a reader has read to 141"#))
    },
    JournalConformance("The last positions are those of all partitions that were claimed, and of no other stores") {
      fixture in
      var journal = try await fixture.open()
      #expect(try await journal.positions(of: "orders") == [:])
      let claim = try await journal.claim(.of("orders"), as: .now())
      #expect(try await journal.positions(of: "orders") == [0: .start])
      _ = await journal.append(
        [JournalKeyAppend([JournalBatch(1, ["1", "2"])], to: .order("a"), after: .start)], claim: claim)
      let other = try await journal.claim(.of("customers"), as: .now())
      try await journal.erase(JournalKey("b", of: "customers"), claim: other)
      journal = try await fixture.reopen(journal)
      #expect(try await journal.positions(of: "orders") == [0: 2])
      #expect(try await journal.positions(of: "customers") == [0: .start])
      try await journal.erase(.order("a"), claim: claim)
      #expect(try await journal.positions(of: "orders") == [0: 3])
    },
    JournalConformance("Each record has the wall time of its batch, and a single store's has no position") { fixture in
      var journal = try await fixture.open()
      let claim = try await journal.claim(.of("orders"), as: .now())
      let batch = JournalBatch(id: .init(writer: 1, number: 1), entries: [.text("1"), .text("2")], time: -7)
      _ = await journal.append([batch], to: "a", after: .start)
      _ = await journal.append([JournalKeyAppend([batch], to: .order("a"), after: .start)], claim: claim)
      journal = try await fixture.reopen(journal)
      #expect(try await journal.all("a").map(\.time) == [-7, -7])
      #expect(try await journal.all("a").map(\.position) == [nil, nil])
      #expect(try await journal.all(.order("a")).map(\.time) == [-7, -7])
      #expect(try await journal.all(.order("a")).map(\.position) == [1, 2])
    },
    JournalConformance(
      "K6: A reader behind removed records gets the key as missed, at the position of the last of them"
    ) {
      fixture in
      var journal = try await fixture.open()
      let claim = try await journal.claim(.of("orders"), as: .now())
      for number in 1...6 as ClosedRange<UInt64> {
        let last = JournalSequence(number - 1)
        _ = await journal.append(["a", "b"].map { .init(number, "\($0)\(number)", to: $0, after: last) }, claim: claim)
      }
      try await journal.store(JournalSnapshot(sequence: 4, revision: 4, payload: [4]), of: .order("a"))
      try await journal.truncate(.order("a"), through: 3)
      journal = try await fixture.reopen(journal)
      // The third record of a has the position 5.
      for size in [0, 3, 1_000] {
        let items = try await journal.partition("orders", upTo: size).items.map(\.text)
        #expect(items == ["b1", "b2", "a missed to 3", "b3", "a4", "b4", "a5", "b5", "a6", "b6"])
        let rest = try await journal.partition("orders", after: 4, upTo: size).items.map(\.text)
        #expect(rest == ["a missed to 3", "b3", "a4", "b4", "a5", "b5", "a6", "b6"])
        #expect(
          try await journal.partition("orders", after: 5, upTo: size).items.map(\.text)
            == ["b3", "a4", "b4", "a5", "b5", "a6", "b6"])
      }
      // All records of both keys are removed, and the next position follows.
      for name in ["a", "b"] {
        try await journal.store(JournalSnapshot(sequence: 6, revision: 6, payload: [6]), of: .order(name))
        try await journal.truncate(.order(name), through: 6)
      }
      journal = try await fixture.reopen(journal)
      let page = try await journal.records(ofPartition: .of("orders"), after: .start, upTo: 1_000)
      #expect(page.items.map(\.text) == ["a missed to 6", "b missed to 6"])
      #expect(page.items.map(\.position) == [11, 12] && page.position == 12)
      #expect(await journal.append([.init(7, "a7", to: "a", after: 6)], claim: claim).map(\.stored) == [1])
      #expect(try await journal.all(.order("a"), after: 6).map(\.position) == [13])
    },
    JournalConformance(
      "K6: A page says which record is at the position behind which it begins, until the record is removed"
    ) {
      fixture in
      var journal = try await fixture.open()
      let claim = try await journal.claim(.of("orders"), as: .now())
      _ = await journal.append(
        [
          JournalKeyAppend([JournalBatch(7, ["a1", "a2"], writer: .max)], to: .order("a"), after: .start),
          .init(8, "b1", to: "b"),
        ], claim: claim)
      _ = await journal.append([.init(9, "a3", to: "a", after: 2), .init(10, "c1", to: "c")], claim: claim)
      try await journal.erase(.order("c"), claim: claim)
      func previous() async throws -> [String?] {
        var names: [String?] = []
        for position in 0...6 as ClosedRange<UInt64> {
          let page = try await journal.records(ofPartition: .of("orders"), after: JournalPosition(position), upTo: 0)
          names.append(page.previous.map { "\($0.batch) \($0.sequence)" })
        }
        return names
      }
      let names = ["ffffffffffffffff.7 1", "ffffffffffffffff.7 2", "1.8 1", "1.9 3"]
      #expect(try await previous() == [nil] + names + [nil, nil])
      journal = try await fixture.reopen(journal)
      #expect(try await previous() == [nil] + names + [nil, nil])
      let records = try await journal.all(.order("a"))
      #expect(records.map { "\($0.id.batch) \($0.id.sequence)" } == [names[0], names[1], names[3]])
      try await journal.store(JournalSnapshot(sequence: 3, revision: 3, payload: []), of: .order("a"))
      try await journal.truncate(.order("a"), through: 2)
      #expect(try await previous() == [nil, nil, nil, names[2], names[3], nil, nil])
    },
    JournalConformance(
      "K6: Of more keys with removed records than a page has each comes once, in the order of positions"
    ) {
      fixture in
      let journal = try await fixture.open()
      let claim = try await journal.claim(.of("orders"), as: .now())
      let names = (0..<1_100).map { "\($0)" }
      _ = await journal.append(names.map { .init(1, "x\($0)", to: $0) }, claim: claim)
      for name in names where name != "1050" {
        try await journal.store(JournalSnapshot(sequence: 1, revision: 1, payload: [1]), of: .order(name))
        try await journal.truncate(.order(name), through: 1)
      }
      for size in [1, 1 << 20] {
        let (items, pages) = try await journal.partition("orders", upTo: size)
        #expect(items.map(\.position.number) == Array(1...1_100))
        #expect(items[1_050].text == "x1050" && items[1_051].text == "1051 missed to 1")
        // A page has at most 1,000 items, and ends behind a record that fills it.
        #expect(pages == (size == 1 ? 3 : 2))
      }
    },
    JournalConformance(
      "K7: An erased key has no name and no record; its earlier writer stays fenced, and it begins anew"
    ) {
      fixture in
      var journal = try await fixture.open()
      let claim = try await journal.claim(.of("orders"), as: .now())
      let wake = JournalBatch(id: .init(writer: 1, number: 1), entries: [.text("a1"), .text("a2")], wake: .at(5))
      _ = await journal.append(
        [JournalKeyAppend([wake], to: .order("a"), after: .start), .init(1, "b1", to: "b")], claim: claim)
      try await journal.store(JournalSnapshot(sequence: 2, revision: 2, payload: [9]), of: .order("a"))
      try await journal.erase(.order("a"), claim: claim)
      try await journal.erase(.order("a"), claim: claim)
      try await journal.erase(.order("none"), claim: claim)
      for _ in 0..<2 {
        #expect(try await journal.keys(of: "orders", prefix: "", after: nil) == [.order("b")])
        #expect(try await journal.due(in: .of("orders"), before: .max, after: nil, upTo: 9) == [])
        #expect(try await journal.lastSequence(of: .order("a")) == 3)
        #expect(try await journal.texts(.order("a"), after: 3) == [])
        #expect(try await journal.snapshot(of: .order("a"))?.isInitial == true)
        #expect(try await failure { _ = try await journal.all(.order("a")) }.code == .truncated)
        #expect(
          try await journal.partition("orders", upTo: 0).items
            .map { "\($0.position) \($0.text)" } == ["3 b1", "4 erased \(JournalKey.order("a").digest)"])
        journal = try await fixture.reopen(journal)
      }
      let error = await journal.append([.init(2, "late", to: "a", after: 2)], claim: claim).first?.failure
      #expect(error?.code == .conflict && error?.sequence == 3)
      #expect(
        error?.description
          == #"The log of "a" of "orders" was erased, with all records up to 2; open the store again to begin anew."#)
      #expect(await journal.append([.init(3, "new", to: "a", after: 3)], claim: claim).map(\.last) == [4])
      for _ in 0..<2 {
        #expect(try await journal.texts(.order("a"), after: 3) == ["new"])
        #expect(try await journal.snapshot(of: .order("a"))?.isInitial == true)
        #expect(try await journal.keys(of: "orders", prefix: "", after: nil) == [.order("a"), .order("b")])
        #expect(
          try await journal.partition("orders", upTo: 100).items.map(\.text)
            == ["b1", "erased \(JournalKey.order("a").digest)", "new"])
        journal = try await fixture.reopen(journal)
      }
      #expect(await journal.append([.init(4, "late", to: "a", after: 2)], claim: claim)[0].failure?.code == .conflict)
    },
    JournalConformance(
      "K6: An erasure stays beside the new life of its key, until records of that are removed by their time, or the key is erased again"
    ) { fixture in
      var journal = try await fixture.open()
      let claim = try await journal.claim(.of("orders"), as: .now())
      let (key, erased) = (JournalKey.order("a"), "erased \(JournalKey.order("a").digest)")
      func append(_ text: String, after last: JournalSequence, at time: Int64) async {
        let batch = JournalBatch(id: .init(writer: 1, number: last.number), entries: [.text(text)], time: time)
        let append = JournalKeyAppend([batch], to: key, after: last)
        #expect(await journal.append([append], claim: claim).map(\.stored) == [1])
      }
      func items() async throws -> [String] {
        let all = try await journal.partition("orders", upTo: 0).items.map(\.text)
        #expect(try await journal.partition("orders", after: 1, upTo: 1_000).items.map(\.text) == all)
        return all
      }
      await append("old", after: .start, at: 10)
      try await journal.erase(key, claim: claim)
      await append("new", after: 2, at: 20)
      await append("newer", after: 3, at: 30)
      let snapshot = JournalSnapshot(sequence: 4, revision: 2, payload: [4])
      #expect(try await journal.store(snapshot, of: key, truncatingBefore: 20, keeping: 8) == 2)
      journal = try await fixture.reopen(journal)
      #expect(try await items() == [erased, "new", "newer"])
      // A record that goes because of its size may be younger than a reader is behind, and so may the erasure.
      #expect(try await journal.truncate(key, through: 4, before: 20, keeping: 7) == 3)
      #expect(try await items() == [erased, "a missed to 3", "newer"])
      try await journal.erase(key, claim: claim)
      try await journal.erase(key, claim: claim)
      #expect(try await items() == [erased])
      await append("again", after: 5, at: 40)
      await append("last", after: 6, at: 50)
      journal = try await fixture.reopen(journal)
      #expect(try await items() == [erased, "again", "last"])
      try await journal.store(JournalSnapshot(sequence: 7, revision: 2, payload: [7]), of: key)
      #expect(try await journal.truncate(key, through: 7, before: 41) == 6)
      #expect(try await items() == ["a missed to 6", "last"])
      journal = try await fixture.reopen(journal)
      #expect(try await items() == ["a missed to 6", "last"])
      #expect(try await journal.snapshot(of: key)?.payload == [7])
    },
    JournalConformance("K7: The key of a single store is erased without a claim, and begins anew behind its end") {
      fixture in
      var journal = try await fixture.open()
      _ = await journal.append([JournalBatch(1, "1", "2")], to: "a", after: .start)
      _ = await journal.append([JournalBatch(1, "1")], to: "b", after: .start)
      try await journal.erase("a", claim: nil)
      journal = try await fixture.reopen(journal)
      #expect(try await journal.keys(after: nil) == ["b"])
      #expect(await journal.append([JournalBatch(2, "3")], to: "a", after: 2).failure?.code == .conflict)
      #expect(await journal.append([JournalBatch(2, "3")], to: "a", after: .start).failure?.code == .conflict)
      #expect(await journal.append([JournalBatch(2, "3")], to: "a", after: 3).last == 4)
      try await journal.store(JournalSnapshot(sequence: 4, revision: 1, payload: [1]), of: "a")
      try await journal.truncate("a", through: 4)
      try await journal.erase("a", claim: nil)
      journal = try await fixture.reopen(journal)
      #expect(try await journal.lastSequence(of: "a") == 5)
      #expect(await journal.append([JournalBatch(3, "4")], to: "a", after: 5).last == 6)
      #expect(try await journal.keys(after: nil) == ["a", "b"])
    },
  ]
}

extension JournalPartitionItem {
  /// The item as a text, for an expectation.
  var text: String {
    switch self {
    case .record(let record, _): record.text
    case .missed(let key, let sequence, _): "\(key.name) missed to \(sequence)"
    case .erased(let digest, _): "erased \(digest)"
    }
  }
}

extension PartitionedJournal {
  /// Everything that a partition has behind a position, and the number of its pages.
  func partition(
    _ stores: String, after start: JournalPosition = .start, upTo byteCount: Int
  ) async throws -> (items: [JournalPartitionItem], pages: Int) {
    var (items, pages, position): ([JournalPartitionItem], Int, JournalPosition) = ([], 0, start)
    while true {
      let page = try await records(ofPartition: .of(stores), after: position, upTo: byteCount)
      items += page.items
      pages += page.items.isEmpty ? 0 : 1
      try #require(page.position > position || page.position == page.last)
      position = page.position
      if position == page.last { return (items, pages) }
    }
  }
}
