import MillraceCurl

/// libcurl's transfers of one thread; ``wake()`` may be called by any.
final class Multi: @unchecked Sendable {
  private let pointer: OpaquePointer

  init?() {
    guard let pointer = millrace_multi_make() else { return nil }
    self.pointer = pointer
  }

  deinit {
    millrace_multi_free(pointer)
  }

  func keep(connections: Int) { _ = millrace_multi_keep_connections(pointer, connections) }
  func add(_ transfer: OpaquePointer) -> Bool { millrace_multi_add(pointer, transfer) }
  func remove(_ transfer: OpaquePointer) { millrace_multi_remove(pointer, transfer) }
  func perform() { millrace_multi_perform(pointer) }
  func wait(for descriptors: [Int32], until due: ContinuousClock.Instant?) {
    millrace_multi_wait(
      pointer, descriptors, descriptors.count, due.map { ContinuousClock.now.milliseconds(until: $0) } ?? 60_000)
  }
  func wake() { millrace_multi_wake(pointer) }

  func take() -> millrace_answer? {
    var answer = millrace_answer()
    return millrace_multi_take(pointer, &answer) ? answer : nil
  }
}
