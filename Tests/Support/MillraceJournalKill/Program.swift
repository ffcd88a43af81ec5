import Foundation
import Millrace
import MillraceJournal
import Synchronization

/// Sends actions to the stores of a journal in a file, and acknowledges each outcome on standard output, until it is killed.
///
/// Usage: MillraceJournalKill FILE LIFE [keys | end], where LIFE is a number that no earlier process has used with the file. `keys` sends to the
/// stores of many keys in place of a single store; `end` waits until all that is open there has ended, and exits.
@main
struct Program {
  /// The number of tasks that send at the same time, each one action after the other.
  static let senders = 4

  /// The number of actions that a process has open at once at its start, so that the next one has them to handle again.
  static let burst = 24

  /// The numbers of one sender in one life.
  static let numbers = 300_000

  /// The first number of a sender in a life; the sender 0 has those that are sent at once.
  static func first(of life: Int, sender: Int) -> Int { (life * (senders + 1) + sender) * numbers }

  /// Whether a number is the first one of a sender.
  static func isFirst(_ number: Int) -> Bool { number % numbers == 0 }

  /// Whether a parcel of this number is packed again after a crash: those that are packed at once, and each third one of the others.
  static func isPackedAgain(_ number: Int) -> Bool {
    number / numbers % (senders + 1) == 0 || number / Parcels.count % 3 == 0
  }

  static func main() async throws {
    #if SQLite
      let arguments = CommandLine.arguments
      let mode = arguments.dropFirst(3)
      guard arguments.count >= 3, let life = Int(arguments[2]), [[], ["keys"], ["end"]].contains(mode) else {
        fail(
          """
          MillraceJournalKill needs a FILE, the number of its life and perhaps keys or end; write for example MillraceJournalKill \
          journal 1 keys.
          """)
      }
      write("opening")
      let journal = try await SQLiteJournal(arguments[1])
      if mode.isEmpty {
        try await runStore(journal, life)
      } else {
        let keys = try await KeysProgram(journal)
        write("open")
        if mode == ["keys"] { try await keys.run(life: life) } else { try await keys.end() }
      }
      await journal.close()
    #else
      fail("MillraceJournalKill is built without the trait SQLite; build it with 'swift build --traits SQLite'.")
    #endif
  }

  private static func fail(_ sentence: String) -> Never {
    FileHandle.standardError.write(Data((sentence + "\n").utf8))
    exit(EX_USAGE)
  }

  #if SQLite
    private static func runStore(_ journal: SQLiteJournal, _ life: Int) async throws {
      var options = JournalOptions()
      // A snapshot each time, however large the state has become.
      (options.snapshotRecords, options.snapshotGrowth) = (20, 0)
      let store = try await Store.open(
        initial: Parcels.State(), interactor: Parcels(), journal: journal, key: "parcels", options: options)
      write("open")
      await withTaskGroup { group in
        // The parcels of the process before are sent again with their keys, so that each of them is opened once.
        for life in max(life - 1, 0)...life {
          group.addTask { await packAtOnce(in: store, from: first(of: life, sender: 0)) }
        }
        for sender in 1...senders {
          group.addTask { await send(to: store, from: first(of: life, sender: sender)) }
        }
      }
    }

    /// Sends many actions with keys before it waits for the outcomes, with numbers from `first` on.
    private static func packAtOnce(in store: Store<Parcels>, from first: Int) async {
      let numbers = (0..<burst).map { first + $0 * Parcels.count }
      let receipts = numbers.map { store.send(.packAgain($0), key: "\($0)") }
      for (number, receipt) in zip(numbers, receipts) { await pack(receipt, number) }
    }

    /// Sends one action after the other, with numbers from `first` on.
    private static func send(to store: Store<Parcels>, from first: Int) async {
      for number in stride(from: first, to: first + numbers, by: Parcels.count) {
        if isPackedAgain(number) {
          await pack(store.send(.packAgain(number)), number)
        } else if number % 2 == 0 {
          await pack(store.send(.pack(number)), number)
        } else {
          let isFinished = await store.send(.note(number)).outcome.kind == .finished
          if isFinished { acknowledge(.noted(number)) }
        }
      }
    }

    private static func pack(_ receipt: Receipt, _ number: Int) async {
      if await receipt.firstCommit != nil { acknowledge(.opened(number)) }
      if await receipt.outcome.kind == .finished { acknowledge(.packed(number)) }
    }

    private static func acknowledge(_ acknowledgement: Acknowledgement) { write(acknowledgement.line) }

    private static let output = Mutex(FileHandle.standardOutput)

    /// Writes a line past all buffers; a long one is not mixed with those of other tasks.
    static func write(_ line: String) { output.withLock { $0.write(Data((line + "\n").utf8)) } }
  #endif
}
