/// What ``Store/send(contentsOf:)`` gives back: how the actions of the batch end, and the means to cancel them.
///
/// It keeps something only of those actions that did not finish at once.
public struct BatchReceipt: Sendable {
  /// How many actions the batch has.
  public private(set) var count = 0

  /// Those that had not finished when they were sent, with their places in the batch.
  private var open: [(place: Int, receipt: Receipt)] = []

  @usableFromInline
  init() {}

  /// Counts actions that finished at once.
  @usableFromInline
  mutating func add(finished: Int) {
    count += finished
  }

  @usableFromInline
  mutating func add(_ receipt: Receipt) {
    open.append((count, receipt))
    count += 1
  }

  /// How each action ended, in the order of the batch, as soon as all have.
  public var outcomes: [Outcome] {
    get async {
      var outcomes = Array(repeating: Outcome.finished, count: count)
      for (place, receipt) in open { outcomes[place] = await receipt.outcome }
      return outcomes
    }
  }

  /// Cancels each action that has not ended, as ``Receipt/cancel()`` does.
  public func cancel() {
    for (_, receipt) in open { receipt.cancel() }
  }
}
