import Foundation
import Millrace
import Synchronization

/// Many stores that have nothing to do, each measurement in a process of its own.
let storeRows: [Row] = [
  idleRow("reference/mutex-box-idle-bytes", "bytes", probe: .box, figure: \.bytes),
  idleRow(
    "store/idle-bytes", "bytes", reference: "reference/mutex-box-idle-bytes", target: 2.0, probe: .store,
    figure: \.bytes),
  // 4,096 bytes more than an idle store.
  idleRow(
    "store/handled-bytes", "bytes", reference: "store/idle-bytes", target: 9.5, probe: .handledStore, figure: \.bytes),
  idleRow("reference/mutex-box-create", "ns", probe: .box, figure: \.nanoseconds),
  idleRow(
    "store/create", "ns", reference: "reference/mutex-box-create", target: 3.0, probe: .store, figure: \.nanoseconds),
]

/// The kinds of idle objects that are made many times.
enum IdleProbe: String {
  /// A class with a Mutex and the same state.
  case box
  case store
  /// A store that has handled one action by an effect.
  case handledStore
  #if SQLite
    /// A key of many stores that has decided one action, and one that has handled one.
    case decidedKey
    case handledKey
  #endif

  /// The arguments of the command for such a process.
  static let argument = "--idle-probe"

  /// Makes the objects and prints what they took.
  func run(_ count: Int) async {
    var kept: [AnyObject] = []
    kept.reserveCapacity(count)
    #if SQLite
      // The first keys take what the journal and the pool need once.
      let action: IdleKeys.Action? =
        switch self {
        case .decidedKey: .ignore
        case .handledKey: .handle
        case .box, .store, .handledStore: nil
        }
      let folder = action == nil ? nil : try? TemporaryFolder()
      defer { folder?.remove() }
      let keys = if let folder { try? await IdleKeys.open(live: 2 * count, in: folder) } else { nil as IdleKeys.Live? }
      if let keys, let action { await IdleKeys.use(keys, 0..<count, action) }
    #endif
    let before = residentBytes()
    let start = ContinuousClock.now
    switch self {
    case .box: for _ in 0..<count { kept.append(Guarded(Tally())) }
    case .store: for _ in 0..<count { kept.append(Store(initial: Tally(), interactor: Deciding())) }
    case .handledStore:
      for _ in 0..<count {
        let store = Store(initial: Tally(), interactor: Effecting())
        _ = await store.send(Countdown(1)).outcome
        kept.append(store)
      }
    #if SQLite
      case .decidedKey, .handledKey:
        guard let keys, let action else { return }
        await IdleKeys.use(keys, count..<2 * count, action)
        kept.append(keys)
    #endif
    }
    let time = nanoseconds(ContinuousClock.now - start) / Double(count)
    let bytes = Double(residentBytes() - before) / Double(count)
    line("\(bytes) \(time)")
    withExtendedLifetime(kept) {}
  }
}

struct IdleFigures: Sendable {
  let bytes: Double
  let nanoseconds: Double
}

private struct ProbeFailed: Error, CustomStringConvertible {
  let output: String
  var description: String { "The process that measures idle stores did not print two numbers but '\(output)'." }
}

func idleRow(
  _ name: String, _ unit: String, reference: String? = nil, target: Double? = nil, probe: IdleProbe,
  figure: @escaping @Sendable (IdleFigures) -> Double, count: Int = 100_000
) -> Row {
  Row(name: name, unit: unit, reference: reference, target: target, gate: .otherProcess) { size in
    Figure(value: figure(try figures(of: probe, count: size.scaled(count))))
  }
}

private func figures(of probe: IdleProbe, count: Int) throws -> IdleFigures {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  process.arguments = [IdleProbe.argument, probe.rawValue, String(count)]
  let pipe = Pipe()
  process.standardOutput = pipe
  try process.run()
  let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  let numbers = output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
  guard numbers.count == 2 else { throw ProbeFailed(output: output) }
  return IdleFigures(bytes: numbers[0], nanoseconds: numbers[1])
}

/// Bytes of this process that are in memory.
private func residentBytes() -> Int {
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
  let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  return pages * 4_096
}
