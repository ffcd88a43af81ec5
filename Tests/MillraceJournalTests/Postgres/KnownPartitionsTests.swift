#if Postgres
  import MillraceJournal
  import Testing

  @testable import MillracePostgres

  @Suite("Known ends of partitions, and their losses")
  struct KnownPartitionsTests {
    private let partition = JournalPartition(of: "orders", number: 3)
    private let claim = JournalClaim(JournalPartition(of: "orders", number: 3), epoch: 2, name: 7)
    private func batch(_ number: UInt64) -> JournalBatch.ID { JournalBatch.ID(writer: 1, number: number) }

    private func found(
      _ position: JournalPosition, _ batch: JournalBatch.ID? = nil, known: JournalBatch.ID? = nil
    ) -> [KnownPartitions.Found] {
      [KnownPartitions.Found(partition: partition, position: position, batch: batch, known: known)]
    }

    /// This process has stored the record at position 10.
    private func stored() -> KnownPartitions {
      var known = KnownPartitions()
      known.didClaim(claim)
      known.didStore(batch(10), at: 10, in: partition)
      return known
    }

    @Test(
      "D6: A smaller position, or another record at a known position, is a loss; a greater position is none",
      arguments: [
        (9, nil, nil, true), (0, nil, nil, true), (10, 10, nil, false), (10, 11, nil, true), (10, nil, nil, false),
        (10, nil, 10, false), (10, nil, 11, true), (12, 12, 10, false), (12, 12, 11, true), (12, 12, nil, false),
      ] as [(UInt64, UInt64?, UInt64?, Bool)])
    func losses(_ position: UInt64, _ last: UInt64?, _ at: UInt64?, _ isLoss: Bool) {
      var known = stored()
      let losses = known.compare(
        found(JournalPosition(position), last.map(batch), known: at.map(batch)), with: known.ends)
      let loss = JournalLoss(of: partition, known: 10, found: JournalPosition(position), claim: claim)
      #expect(losses == (isLoss ? [loss] : []))
      #expect(known.loss(of: claim) == (isLoss ? loss : nil))
      #expect(known.losses(of: "orders") == (isLoss ? JournalLosses(count: 1, newest: [3: loss]) : JournalLosses()))
      #expect(known.losses(of: "others") == JournalLosses())
    }

    @Test("D6: A loss is found under any claim, and ends the claim that the process had then")
    func claims() {
      var known = stored()
      let later = JournalClaim(partition, epoch: 3, name: 8)
      known.didClaim(later)
      #expect(known.compare(found(5), with: known.ends).first?.claim == later)
      #expect(known.loss(of: later) != nil && known.loss(of: claim) == nil)
      let newest = JournalClaim(partition, epoch: 4, name: 9)
      known.didClaim(newest)
      #expect(known.loss(of: newest) == nil)
    }

    @Test("D6: Each loss is returned once, and the next one again")
    func once() {
      var known = stored()
      let before = known.ends
      #expect(known.compare(found(5), with: before).count == 1)
      // Another connection has read the partition at the same time.
      #expect(known.compare(found(5), with: before) == [])
      #expect(known.compare(found(7), with: known.ends) == [])
      #expect(known.compare(found(6), with: known.ends).first?.known == 7)
      #expect(known.losses(of: "orders").count == 2)
      #expect(known.losses(of: "orders").newest[3]?.found == 6)
    }

    @Test("D6: A read that began before an append was acknowledged is no loss")
    func concurrentRead() {
      var known = stored()
      let before = known.ends
      known.didStore(batch(11), at: 11, in: partition)
      #expect(known.compare(found(10, batch(10)), with: before) == [])
      #expect(known.ends[partition]?.position == 11)
    }

    @Test("D6: A partition that was only seen is remembered by its position, without its record")
    func seen() {
      var known = KnownPartitions()
      #expect(known.compare(found(10, batch(4)), with: known.ends) == [])
      // A program of version 2 stored the records up to 10 and left the batch of an earlier append.
      #expect(known.compare(found(12, batch(4), known: batch(9)), with: known.ends) == [])
      #expect(known.compare(found(11), with: known.ends).count == 1)
      #expect(known.losses(of: "orders").newest[3]?.claim == nil)
    }

    @Test("A loss is a sentence with both positions and the fix")
    func text() {
      let known = JournalPosition(10)
      let shorter = JournalLoss(of: partition, known: known, found: 5, claim: nil).description
      #expect(
        shorter == """
          Partition 3 of "orders" ends at position 5, but its records up to 10 were stored; those after 5 are lost. Check whether the database was \
          restored from an older copy, or a standby without the newest records has taken over; keep the other copy to recover the lost records from it. \
          The stores continue from the records that the database has.
          """)
      let other = JournalLoss(of: partition, known: known, found: 12, claim: nil).description
      #expect(
        other.hasPrefix(
          "Partition 3 of \"orders\" has another record at position 10 than the one that was stored there,"))
    }
  }
#endif
