import MillraceJournal
import Testing

extension JournalConformance {
  /// The rules of `SharedJournal`.
  static let sharing = [
    JournalConformance("A member is one until its lease ends or it leaves; one whose lease has ended joins again") {
      fixture in
      let journal = try await shared(fixture)
      let (first, second) = (JournalMember.test(1), JournalMember.test(2, address: "second:80"))
      #expect(try await journal.shares(of: "orders") == JournalShares(members: [], owners: [:]))
      try await journal.join(first, lease: .seconds(600))
      try await journal.join(second, lease: .seconds(600))
      try await journal.join(.test(3, of: "customers"), lease: .seconds(600))
      #expect(try await journal.shares(of: "orders").members == [first, second])
      #expect(try await journal.renew(first.id, lease: .seconds(600)))
      // A lease of no time has ended.
      #expect(try await journal.renew(first.id, lease: .zero))
      #expect(try await journal.renew(first.id, lease: .seconds(600)) == false)
      #expect(try await journal.renew(JournalMember.test(4).id, lease: .seconds(600)) == false)
      #expect(try await journal.shares(of: "orders").members == [second])
      try await journal.join(first, lease: .seconds(600))
      try await journal.leave(second.id)
      #expect(try await journal.shares(of: "orders").members == [first])
    },
    JournalConformance(
      "K5: A member replaces the others at its address, which cannot join again, and no members of other addresses or stores"
    ) { fixture in
      let journal = try await shared(fixture)
      func member(_ number: UInt64, _ address: String? = "a:80", of stores: String = "orders") -> JournalMember {
        .test(number, of: stores, address: address)
      }
      let others = [member(3, "b:80"), member(4, nil)]
      let customers = member(5, of: "customers")
      for member in [member(1), member(2)] + others + [customers] {
        try await journal.join(member, lease: .seconds(600))
      }
      let claim = try #require(try await journal.take([0], as: member(1)).first)
      _ = try await journal.renew(member(2).id, lease: .zero)
      try await journal.join(member(6), lease: .seconds(600))
      // The second one has no lease any longer, and is replaced all the same.
      #expect(try await journal.replaceMembers(with: member(6)) == [member(1)])
      #expect(try await journal.replaceMembers(with: member(6)) == [])
      #expect(try await journal.replaceMembers(with: others[1]) == [])
      #expect(try await journal.shares(of: "orders").members == others + [member(6)])
      #expect(try await journal.shares(of: "customers").members == [customers])
      for number in 1...2 as ClosedRange<UInt64> {
        #expect(try await journal.renew(member(number).id, lease: .seconds(600)) == false)
        let error = try await failure { try await journal.join(member(number), lease: .seconds(600)) }
        #expect(error.code == .conflict && error.newcomer == member(6).process)
        #expect(
          error.description.hasPrefix(#"The stores "orders" were opened at the address "a:80" of this process by"#))
        #expect(try await journal.replaceMembers(with: member(number)) == [])
      }
      #expect(try await journal.shares(of: "orders").members == others + [member(6)])
      let next = try #require(try await journal.take([0], as: member(6)).first)
      #expect(next.epoch > claim.epoch)
      #expect(await journal.append([.init(1, "1", to: "a")], claim: claim)[0].failure?.newcomer == member(6).process)
    },
    JournalConformance("K5: A partition is taken once while its owner has a lease, and the next owner fences that one")
    {
      fixture in
      let journal = try await shared(fixture)
      let (first, second) = (JournalMember.test(1), JournalMember.test(2))
      #expect(try await journal.take([0], as: first) == [])
      for member in [first, second] { try await journal.join(member, lease: .seconds(600)) }
      let claim = try #require(try await journal.take([0], as: first).first)
      #expect(claim.partition == .of("orders") && claim.epoch == 1)
      #expect(try await journal.shares(of: "orders").owners == [0: .init(first.id, epoch: 1, name: claim.name)])
      #expect(try await journal.shares(of: "orders").owner(of: 0) == first)
      #expect(await journal.append([.init(1, "1", to: "a")], claim: claim)[0].stored == 1)
      #expect(try await journal.take([0, 7, -1], as: second) == [])
      _ = try await journal.renew(first.id, lease: .zero)
      #expect(try await journal.shares(of: "orders").owner(of: 0) == nil)
      // Without a lease it may still append, until another one has taken the partition.
      #expect(await journal.append([.init(2, "2", to: "a", after: 1)], claim: claim)[0].stored == 1)
      let next = try #require(try await journal.take([0], as: second).first)
      #expect(next.epoch == 2)
      let late = await journal.append([.init(3, "3", to: "a", after: 2)], claim: claim)[0]
      #expect(late.failure?.code == .conflict && late.failure?.newcomer == second.process)
      #expect(await journal.append([.init(4, "4", to: "a", after: 2)], claim: next)[0].stored == 1)
      #expect(try await journal.texts(.order("a")) == ["1", "2", "4"])
    },
    JournalConformance("A partition that is released is free, and one that was taken since stays with its owner") {
      fixture in
      let journal = try await shared(fixture)
      let (first, second) = (JournalMember.test(1), JournalMember.test(2))
      for member in [first, second] { try await journal.join(member, lease: .seconds(600)) }
      let claim = try #require(try await journal.take([0], as: first).first)
      // Its answer was lost, and the member takes it again.
      let again = try #require(try await journal.take([0], as: first).first)
      #expect(again.epoch == claim.epoch + 1)
      try await journal.release([claim])
      #expect(try await journal.shares(of: "orders").owner(of: 0) == first)
      try await journal.release([again])
      #expect(try await journal.shares(of: "orders").owners == [0: .init(nil, epoch: again.epoch, name: again.name)])
      let next = try #require(try await journal.take([0], as: second).first)
      try await journal.release([again])
      #expect(try await journal.shares(of: "orders").owner(of: 0) == second)
      #expect(await journal.append([.init(1, "1", to: "a")], claim: next)[0].stored == 1)
      // A claim of a process that is no member fences the owner, and any member may take the partition.
      let alone = try await journal.claim(.of("orders"), as: .now())
      #expect(await journal.append([.init(2, "2", to: "a", after: 1)], claim: next)[0].failure?.code == .conflict)
      #expect(try await journal.shares(of: "orders").owners == [0: .init(nil, epoch: alone.epoch, name: alone.name)])
      #expect(try await journal.take([0], as: first).count == 1)
    },
    JournalConformance("Of members that take the same partition at once exactly one gets it") { fixture in
      let journal = try await shared(fixture)
      let members = (1...8 as ClosedRange<UInt64>).map { JournalMember.test($0) }
      for member in members { try await journal.join(member, lease: .seconds(600)) }
      let claims = try await withThrowingTaskGroup(of: [JournalClaim].self) { group in
        for member in members { group.addTask { try await journal.take([0], as: member) } }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      // One whose transaction was passed over takes it with the next call, if the owner has no lease.
      #expect(claims.map(\.epoch) == [1])
      #expect(try await journal.shares(of: "orders").owner(of: 0) != nil)
    },
  ]

  private static func shared(_ fixture: any JournalFixture) async throws -> any SharedJournal {
    try #require(try await fixture.open() as? any SharedJournal)
  }
}

extension JournalMember {
  static func test(_ number: UInt64, of stores: String = "orders", address: String? = nil) -> JournalMember {
    JournalMember(
      ID(high: number, low: 7), of: stores, address: address,
      process: JournalEpoch(host: "host", process: Int(number), time: 0))
  }
}
