#if SQLite
  import Foundation
  import Millrace
  import MillraceFlags
  import MillraceJournal
  import MillraceLoad

  /// The user of the scenario `many-keys`, who sends to all keys of one `Stores`.
  struct ManyKeysTarget: LoadTarget {
    /// The number of keys that are made at once.
    private static let width = 1_000

    private let options: ManyKeysOptions
    private let seed: UInt64
    private let accounts: Stores<Int, KeyedAccount>
    private let journal: SQLiteJournal
    /// The folder of a temporary journal, which is removed at the end.
    private let folder: URL?
    /// The wall time of the opening in milliseconds, which tells the idempotency keys of two runs apart.
    private let start = StoreConfiguration().wallTime()
    private let openedMemory: Int?
    private var preparedMemory: Int?
    /// The counts when the keys were made.
    private var prepared: StoresSummary

    /// Opens the journal.
    init(_ options: ManyKeysOptions, seed: UInt64) async throws {
      self.options = options
      self.seed = seed
      folder = options.journal == nil ? try Self.makeFolder() : nil
      do {
        journal = try await SQLiteJournal(options.journal ?? folder?.appending(path: "journal").path ?? "")
        accounts = try await Stores<Int, KeyedAccount>.open(
          name: "accounts", journal: journal, limits: StoresLimits(live: options.live),
          initial: { _ in KeyedAccount.State() }, feedbacks: { _ in [.timers(of: \.timers) { .fire($0) }] },
          interactor: { _ in KeyedAccount() })
      } catch {
        if let folder { try? FileManager.default.removeItem(at: folder) }
        throw error
      }
      openedMemory = ProcessReading.now.memory
      prepared = accounts.summary
    }

    private static func makeFolder() throws -> URL {
      let folder = FileManager.default.temporaryDirectory.appending(path: "millrace-load-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      return folder
    }

    /// Sends an action to each key that has no log, and shows how many there are.
    ///
    /// A cancellation ends it early.
    ///
    /// - Throws: the error of the journal, or a sentence for a key whose action did not finish.
    mutating func prepare() async throws {
      let (line, count, width) = (StatusLine.standardError, options.keys, Self.width)
      var (found, last) = (0, nil as Int?)
      repeat {
        let page = try await accounts.keys(after: last)
        found += page.count
        last = page.last
      } while last != nil && found < count
      let start = ContinuousClock.now
      var (made, shown) = (0, start)
      // Keys are made in their order, so that only the last ones of an earlier process may be missing.
      for first in stride(from: found < count ? max(found - width, 0) : count, to: count, by: width) {
        if Task.isCancelled { break }
        let end = min(first + width, count)
        let receipts = (first..<end).map { accounts.send(.add(1), to: $0) }
        for (key, receipt) in zip(first..<end, receipts) {
          let outcome = await receipt.outcome
          guard outcome.kind == .finished else { throw UnmadeKey(key: key, outcome: outcome) }
        }
        made = max(end - found, 0)
        guard shown + .milliseconds(500) < .now else { continue }
        shown = .now
        line.show("\(end) of \(count) keys have a log.")
      }
      line.clear()
      let seconds = ((ContinuousClock.now - start) / .seconds(1)).rounded()
      line.writeLine("\(made) of \(count) keys were made in \(Int(seconds)) s.")
      (prepared, preparedMemory) = (accounts.summary, ProcessReading.now.memory)
    }

    private struct UnmadeKey: Error, CustomStringConvertible {
      let key: Int
      let outcome: Outcome

      var description: String { "The first action of the key \(key) ended as \(outcome)." }
    }

    // MARK: LoadTarget

    func begin(_ request: LoadRequest) -> LoadStart {
      // A generator for each request, so that the choice depends on its number only.
      var random = SplitMix(seed: seed &+ UInt64(request.number) &* 0x9E37_79B9_7F4A_7C15)
      let key = key(by: random.unit())
      switch random.unit() {
      case ..<0.4: return started(accounts.send(.add(1), to: key))
      case ..<0.6: return started(accounts.send(.add(1), to: key, key: "\(start) \(request.number)"))
      case ..<0.75: return .due { await Self.end { _ = try await accounts.state(of: key) } }
      case ..<0.85:
        return .due { await Self.end { _ = try await accounts.request(.add(1), of: key) { $0.total } } }
      case ..<0.95: return started(accounts.send(.addLater(1), to: key))
      default:
        let time = StoreConfiguration().wallTime() + 1_000
        return started(accounts.send(.set(request.number, at: time), to: key))
      }
    }

    /// The key of a number from 0 to 1.
    private func key(by number: Double) -> Int {
      if options.isUniform { return Int(number * Double(options.keys)) }
      // The density of the key n is that of 1/n (Zipf's law), by the inverse of its integral.
      return min(Int(pow(Double(options.keys + 1), number)), options.keys) - 1
    }

    private func started(_ receipt: Receipt) -> LoadStart { receipt.outcomeNow.map(LoadStart.ended) ?? .sent(receipt) }

    private static func end(_ body: () async throws -> Void) async -> LoadEnd {
      do {
        try await body()
        return LoadEnd(.finished)
      } catch is CancellationError {
        return LoadEnd(.cancelled)
      } catch {
        return LoadEnd(.failed(error))
      }
    }

    var figures: [LoadFigure] {
      let summary = accounts.summary
      let counts: [LoadFigure] = [
        LoadFigure("keys", options.keys), LoadFigure("live keys", summary.live),
        LoadFigure("keys in use", summary.pinned),
        LoadFigure("keys waiting", summary.waiting), LoadFigure("openings", summary.opened - prepared.opened),
        LoadFigure("failed openings", summary.failed - prepared.failed),
        LoadFigure("hibernations", summary.hibernated - prepared.hibernated),
        LoadFigure("refused uses", summary.refused - prepared.refused),
      ]
      let memories = [
        ("memory before the keys", openedMemory), ("memory at the start", preparedMemory),
        ("memory at the end", ProcessReading.now.memory),
      ]
      return counts + memories.compactMap { name, bytes in bytes.map { LoadFigure(name, $0, .bytes) } }
    }

    func close() async {
      await accounts.shutdown()
      await journal.close()
      if let folder { try? FileManager.default.removeItem(at: folder) }
    }
  }
#endif
