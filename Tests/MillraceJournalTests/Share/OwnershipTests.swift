import Foundation
import Millrace
import MillraceTesting
import Testing

@testable import MillraceJournal

/// A member with the works that it has to do, in their order, as its process does them.
private struct Walker {
  let member: JournalMember
  var ownership: Ownership
  var works: [Ownership.Work] = []
  var isAlive = true

  init(_ id: JournalMember.ID, partitions: Int) {
    member = JournalMember(id, of: "orders", address: nil, process: JournalEpoch(host: "host", process: 1, time: 0))
    ownership = Ownership(of: member, partitions: partitions)
  }
}

@Suite("Ownership of partitions")
struct OwnershipTests {
  private static let partitions = 16
  /// `.ci/long` has more.
  private static let seeds: UInt64 =
    ProcessInfo.processInfo.environment["MILLRACE_SEEDS"].flatMap {
      $0.split(separator: "<").last.flatMap { UInt64($0) }
    }
    ?? 100

  @Test(
    "K5: At no step do two members append to a partition, and in the end each partition has its first choice as the owner"
  )
  func walks() {
    for seed in 0..<Self.seeds {
      var random = SeededGenerator(seed: seed)
      var (content, walkers, now) = (MemoryContent(), [Walker](), Int64(0))
      let lease: Int64 = 10
      func join() {
        let walker = Walker(
          JournalMember.ID(high: random.next(), low: random.next()), partitions: Self.partitions)
        _ = content.leases.join(walker.member, until: now + lease)
        walkers.append(walker)
      }
      /// The members that would append to a partition, and whose append would be stored.
      func appending(_ partition: Int) -> Int {
        walkers.filter { walker in
          walker.ownership.claims.contains { claim in
            claim.partition.number == partition && content.partitions[claim.partition]?.epoch == claim.epoch
          }
        }.count
      }
      func step(_ index: Int) {
        let id = walkers[index].member.id
        if walkers[index].works.isEmpty || Int.random(in: 0..<4, using: &random) == 0 {
          if !content.leases.renew(id, until: now + lease, at: now) {
            _ = content.leases.join(walkers[index].member, until: now + lease)
          }
          // A look comes behind the works that change the journal.
          if !walkers[index].works.contains(where: \.changesJournal) {
            walkers[index].works += walkers[index].ownership.didLook(content.shares(of: "orders", at: now))
          }
          return
        }
        let place = walkers[index].works.indices.randomElement(using: &random) ?? 0
        let work = walkers[index].works.remove(at: place)
        switch work {
        case .take(let numbers):
          // One call in eight does nothing, and the answer of another one is lost.
          let fate = Int.random(in: 0..<8, using: &random)
          let claims = fate == 0 ? [] : content.take(numbers, as: walkers[index].member, at: now)
          walkers[index].works += walkers[index].ownership.didTake(fate < 2 ? [] : claims, of: numbers)
        case .drain(let claims):
          let (first, rest) = (claims[0], Array(claims.dropFirst()))
          if !rest.isEmpty { walkers[index].works.append(.drain(rest)) }
          walkers[index].works += walkers[index].ownership.didDrain(first)
        case .release(let claim):
          let fate = Int.random(in: 0..<8, using: &random)
          if fate > 0 { content.release([claim]) }
          if fate > 1 { walkers[index].ownership.didRelease(claim) }
        case .open, .drop: break
        }
      }
      func checkFences() {
        for partition in 0..<Self.partitions { #expect(appending(partition) <= 1, "seed \(seed)") }
      }
      join()
      for _ in 0..<200 {
        now += Int64.random(in: 0...3, using: &random)
        switch Int.random(in: 0..<30, using: &random) {
        case 0 where walkers.count < 5: join()
        case 1 where walkers.count > 1: walkers.remove(at: Int.random(in: walkers.indices, using: &random))
        // A process that is stopped does nothing until later, and its lease ends.
        case 2: now += lease
        // An append is fenced, or the journal's end is behind what it has acknowledged.
        case 3:
          let index = Int.random(in: walkers.indices, using: &random)
          if let claim = walkers[index].ownership.claims.randomElement(using: &random) {
            walkers[index].works += walkers[index].ownership.didLose(claim)
          }
        default: step(Int.random(in: walkers.indices, using: &random))
        }
        checkFences()
      }
      // Nothing more happens, and every process continues.
      let ids = walkers.map(\.member.id)
      func owners(of partition: Int) -> [JournalMember.ID] {
        walkers.filter { $0.ownership.claim(of: partition) != nil }.map(\.member.id)
      }
      func isSettled() -> Bool {
        (0..<Self.partitions).allSatisfy {
          owners(of: $0) == [JournalMember.ID.firstChoice(of: $0, among: ids)].compactMap(\.self)
        }
      }
      for _ in 0..<100 * walkers.count where !isSettled() {
        for index in walkers.indices {
          _ = content.leases.join(walkers[index].member, until: now + lease)
          step(index)
        }
        now += 1
      }
      checkFences()
      #expect(isSettled(), "seed \(seed): \((0..<Self.partitions).map(owners))")
    }
  }

  @Test("A member whose lease has ended keeps its partitions until another one has taken them, or it is a member again")
  func endedLease() {
    let walkers = (1...2 as ClosedRange<UInt64>).map { Walker(JournalMember.ID(high: $0, low: 0), partitions: 4) }
    var ownership = walkers[0].ownership
    let claims = (0..<4).map { JournalClaim(JournalPartition(of: "orders", number: $0), epoch: 1) }
    #expect(ownership.didLook(JournalShares(members: [walkers[0].member], owners: [:])) == [.take([0, 1, 2, 3])])
    #expect(ownership.didTake(claims, of: [0, 1, 2, 3]) == claims.map { .open($0) })
    var owners = Dictionary(
      uniqueKeysWithValues: (0..<4).map { ($0, JournalShares.Owner(walkers[0].member.id, epoch: 1)) })
    #expect(ownership.didLook(JournalShares(members: [walkers[1].member], owners: owners)) == [])
    owners[2] = JournalShares.Owner(walkers[1].member.id, epoch: 2)
    #expect(ownership.didLook(JournalShares(members: [walkers[1].member], owners: owners)) == [.drop([claims[2]])])
    // A claim that was not asked for is none.
    #expect(ownership.didTake([JournalClaim(JournalPartition(of: "orders", number: 9), epoch: 1)], of: [0]) == [])
    #expect(ownership.ownedCount == 3 && ownership.owner(of: 2) == walkers[1].member)
  }

  @Test("A key that was fenced while it was opened is another one's, also if its partition was taken again since")
  func fencedOpening() {
    let member = Walker(JournalMember.ID(high: 1, low: 0), partitions: 1).member
    let claim = JournalClaim(JournalPartition(of: "orders", number: 0), epoch: 1)
    func kind(_ partitions: OwnedPartitions, _ code: JournalError.Code) -> Rejection.Kind? {
      partitions.refusal(of: 0, after: JournalError(code, "It failed; try again."))?.kind
    }
    let shared = OwnedPartitions(of: "orders", Ownership(of: member, partitions: 1))
    #expect(kind(shared, .unavailable) == .notOwner, "it owns nothing")
    _ = shared.note { $0.didLook(JournalShares(members: [member], owners: [:])) }
    _ = shared.note { $0.didTake([claim], of: [0]) }
    #expect(kind(shared, .conflict) == .notOwner && kind(shared, .lost) == .notOwner)
    #expect(kind(shared, .unavailable) == nil)
    let alone = OwnedPartitions(of: "orders", Ownership(ofAll: [claim]))
    #expect(kind(alone, .conflict) == nil)
  }
}

extension Ownership.Work {
  fileprivate var changesJournal: Bool {
    switch self {
    case .take, .release: true
    case .open, .drain, .drop: false
    }
  }
}
