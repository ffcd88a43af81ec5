#if SQLite
  import Foundation
  import MillraceVFS
  import Testing

  @testable import MillraceJournal

  @Suite("Flipped bits in a SQLite journal")
  struct FlippedBitTests {
    private func fill(_ journal: any PartitionedJournal) async throws {
      for key in ["a", "b", "c"] as [JournalKey] {
        for number in 1...12 as ClosedRange<UInt64> {
          let length = number == 5 ? 900 : 30
          let result = await journal.append(
            [JournalBatch(number, "\(key) \(number) " + String(repeating: "y", count: length))], to: key,
            after: JournalSequence(number - 1))
          try #require(result.stored == 1)
        }
      }
      try await journal.store(
        JournalSnapshot(sequence: 6, revision: 6, payload: Array(repeating: 3, count: 800)), of: "a")
      try await journal.truncate("a", through: 6)
      let claim = try await journal.claim(.of("orders"), as: .now())
      let texts = (1...3).map { "orders/d \($0) yyyy" }
      let batch = JournalBatch(
        id: .init(writer: 1, number: 1), entries: texts.map { .text($0) }, wake: .at(1_764_000_000_000))
      let result = await journal.append([JournalKeyAppend([batch], to: .order("d"), after: .start)], claim: claim)
      try #require(result[0].stored == 1)
    }

    /// The bits of the page that has the rows of the keys, and those at both ends of the page by which partitions are found.
    private func rows(_ disk: Disk) throws -> [Int] {
      let connection = try SQLiteConnection(JournalPath(Disk.file), system: disk.name)
      defer { connection.close(leavesWAL: false) }
      func bits(of table: String) throws -> Range<Int> {
        var page = 0
        try SQLiteStatement(connection, "SELECT rootpage FROM sqlite_schema WHERE name='\(table)'").run {
          page = $0.int(0)
          return false
        }
        var content = [UInt8](repeating: 0, count: disk.size(Disk.file))
        disk.read(Disk.file, &content)
        try #require(content[(page - 1) * 512] == 10, "\(table) has one page")
        return (page - 1) * 512 * 8..<page * 512 * 8
      }
      let partitions = try bits(of: "sqlite_autoindex_partitions_1")
      return try Array(bits(of: "keys")) + partitions.prefix(96) + partitions.suffix(192)
    }

    private func read(_ disk: Disk) async -> Result<JournalContent, JournalError> {
      let result: Result<JournalContent, JournalError>
      do throws(JournalError) {
        result = .success(try await JournalContent(disk.open()))
      } catch {
        result = .failure(error)
      }
      await disk.close()
      return result
    }

    /// Each bit of the header and of these rows, and some of the others; in the long run as many times more as it says.
    private func bits(_ size: Int, every stride: Int, rows: [Int] = []) -> [Int] {
      let factor = ProcessInfo.processInfo.environment["MILLRACE_FLIPS"].flatMap(Int.init) ?? 1
      let stride = max(stride / max(factor, 1), 1)
      return Array(0..<800) + rows + Array(Swift.stride(from: 800, to: size * 8, by: stride))
    }

    @Test("A flipped bit in the file is found, or changes nothing")
    func file() async throws {
      let original = Disk()
      let journal = try await original.open()
      try await fill(journal)
      await journal.close()
      #expect(original.size(Disk.wal) == 0)
      let content = try await read(original).get()
      #expect(content.records["b"]?.count == 12 && content.snapshots["a"] != nil)
      let codes: Set<JournalError.Code> = [.corrupt, .notAJournal, .otherVersion, .cannotOpen, .failed]
      var (found, problems) = (0, [String]())
      for bit in bits(original.size(Disk.file), every: 61, rows: try rows(original)) {
        let disk = Disk()
        disk.copy(original)
        disk.flip(Disk.file, bit: bit)
        switch await read(disk) {
        case .success(let read): if read != content { problems.append("bit \(bit) changes \(read.keys)") }
        case .failure(let error) where codes.contains(error.code): found += 1
        case .failure(let error): problems.append("bit \(bit): \(error)")
        }
      }
      #expect(problems == [])
      #expect(found > 1_000)
    }

    @Test("A flipped bit in the WAL leaves a first part of the log, or is found")
    func wal() async throws {
      let original = Disk()
      var options = original.options()
      options.checkpointPages = 10_000
      let journal = try await SQLiteJournal(Disk.file, options)
      try await fill(journal)
      // The machine crashes; everything was synchronized.
      original.plan(.crash)
      await journal.close()
      original.restart()
      let size = original.size(Disk.wal)
      #expect(size > 10_000)
      var (prefixes, problems) = (Set<Int>(), [String]())
      for bit in bits(size, every: 1_009) {
        let disk = Disk()
        disk.copy(original)
        disk.flip(Disk.wal, bit: bit)
        switch await read(disk) {
        case .failure(let error): if error.isTransient { problems.append("bit \(bit): \(error)") }
        case .success(let read):
          for (key, records) in read.records {
            let start = records.first.map { Int($0.sequence.number) } ?? 1
            if !records.allSatisfy({ $0.text.hasPrefix("\(key) \($0.sequence) ") }) || ![1, 7].contains(start) {
              problems.append("bit \(bit) changes \(key)")
            }
          }
          prefixes.insert(read.records.values.reduce(0) { $0 + $1.count })
        }
      }
      #expect(problems == [])
      #expect(prefixes.count > 20)
    }
  }
#endif
