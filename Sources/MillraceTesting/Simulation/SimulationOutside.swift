extension Simulation {
  /// Work on other threads that user code in a world may begin; what is not allowed fails its seed.
  ///
  /// No seed decides when such work is done. It may be allowed where it has no effect on the world, as that of a library which
  /// writes a log. What comes back from it fails the seed all the same.
  public struct Outside: OptionSet, Sendable, CustomStringConvertible {
    /// A bit for each kind.
    public let rawValue: Int

    /// Makes a set from its bits.
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
