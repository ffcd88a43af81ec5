import Dispatch
import Millrace
import MillraceHooks

/// The system as user code in a world sees it: clocks that show the world's time, and random numbers of the seed.
///
/// Each task has random numbers of its own, so that they do not depend on the order in which tasks run. Only the world's thread uses
/// it, or the main thread in its place.
struct WorldSystem {
  private let seed: UInt64
  /// By the numbers that stand for the names of the tasks.
  private var numbers: [UInt64: SeededGenerator] = [:]

  /// The wall time at the beginning of the world, in nanoseconds since 1970: in one of four years, 2028 with its leap day among them.
  private let start: Int64

  /// The same in milliseconds.
  var wallStart: Int64 { start / 1_000_000 }

  /// The time of the clocks that do not show wall time, at the beginning of the world, in nanoseconds.
  private static let upTime: Int64 = 3_600_000_000_000

  init(seed: UInt64) {
    self.seed = seed
    var generator = Choices.generator(seed, .system, 0)
    let (year2026, fourYears) = (Int64(1_767_225_600), Int64(1_461 * 86_400))
    start = (year2026 + Int64.random(in: 0..<fourYears, using: &generator)) * 1_000_000_000
  }

  /// The time that a clock of the system shows, in nanoseconds.
  func time(at now: TestClock.Instant, isWall: Bool) -> Int64 {
    let (seconds, attoseconds) = now.offset.components
    let passed = min(seconds, Self.longest) * 1_000_000_000 + attoseconds / 1_000_000_000
    return passed + (isWall ? start : Self.upTime)
  }

  /// The longest time that a clock of the system shows, in seconds: 220 years, so that no sum is too large.
  private static let longest: Int64 = 7_000_000_000

  /// The world's time for a time of Dispatch; nil if it never comes.
  ///
  /// The highest bit says which of two clocks it is for, and both show the same here.
  static func deadline(_ time: UInt64) -> TestClock.Instant? {
    if time == .max { return nil }
    return TestClock.Instant(offset: .nanoseconds(Int64(time & (1 << 63 - 1)) - upTime))
  }

  /// Fills memory with the next random numbers of a task.
  ///
  /// - Parameter task: the number that stands for its name.
  mutating func fill(_ bytes: UnsafeMutableRawBufferPointer, for task: UInt64) {
    var generator = numbers[task] ?? Choices.generator(seed, .system, task)
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = withUnsafeBytes(of: generator.next()) { word in
        let count = min(word.count, rest.count)
        rest.copyBytes(from: word.prefix(count))
        return count
      }
      rest = rest.dropFirst(count)
    }
    numbers[task] = generator
  }
}

extension WorldRuntime {
  /// Replaces the functions of the system, which answer from the world whose thread asks; the first call decides.
  static func installSystem() { installed }

  private static let installed: Void = {
    // What is drawn once in a process is drawn outside of worlds, so that the first world is like the others.
    _ = SpanID.processSeed
    millrace_install_system(answers)
  }()

  private static let answers = MillraceSystem(
    now: { isWall in
      guard let runtime = WorldRuntime.ofThisThread, let now = runtime.world?.clock.now else { return 0 }
      return runtime.system.time(at: now, isWall: isWall)
    },
    fill: { bytes, count in
      guard let runtime = WorldRuntime.ofThisThread else { return }
      runtime.system.fill(UnsafeMutableRawBufferPointer(start: bytes, count: count), for: runtime.drawer.identity)
    },
    outside: { function, isRuntime in
      WorldRuntime.ofThisThread?.noteOutside(String(cString: function), isRuntime: isRuntime)
    },
    awaits: { WorldRuntime.ofThisThread?.noteAwait(of: $0) })

  /// Runs user code of a world, in which the system answers from the world.
  static func simulatingSystem<Result>(_ body: () -> Result) -> Result {
    let earlier = millrace_set_simulates(true)
    defer { millrace_set_simulates(earlier) }
    return body()
  }

  /// Restores the functions of the system while the kit does its own work.
  static func outsideOfWorlds<Result>(_ body: () -> Result) -> Result {
    let earlier = millrace_set_simulates(false)
    defer { millrace_set_simulates(earlier) }
    return body()
  }
}

extension Simulation {
  /// Work on other threads that user code in a world may begin; other work fails its seed.
  ///
  /// No seed decides when such work is done. It may be allowed where it has no effect on the world, as the work of a library which
  /// writes a log. A call back from it fails the seed all the same.
  public struct Outside: OptionSet, Sendable, CustomStringConvertible {
    /// A bit for each kind.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// Threads, as of `pthread_create` and `Thread`.
    public static let threads = Outside(rawValue: 1)

    /// Queues and sources of Dispatch, as of `DispatchQueue.async` and `URLSession`.
    public static let queues = Outside(rawValue: 2)

    /// The kind of work that a function of the system begins.
    init(function: String) {
      self = function == "pthread_create" ? .threads : .queues
    }

    /// The receiver of the work, with the function that gave it.
    func receiver(_ function: String) -> String {
      self == .threads ? "a thread (\(function))" : "a dispatch queue (\(function))"
    }

    /// The set as it is written in Swift.
    public var description: String {
      switch self {
      case .threads: ".threads"
      case .queues: ".queues"
      default: isEmpty ? "[]" : "[.threads, .queues]"
      }
    }
  }
}
