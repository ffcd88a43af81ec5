import Synchronization

/// An object that is made when it is first needed, by any thread.
///
/// It does what `AtomicLazyReference` of the standard library does, whose `load` is called unspecialised and looks types up at
/// run time: 60 ns a call, against 1.
///
/// **The protocol.** `address` is 0, or that of the object, of which this owns a reference until it ends itself. It changes once,
/// from 0, by the thread whose object is kept.
struct LazyObject<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  private let address = Atomic<UInt>(0)

  deinit {
    object(at: address.load(ordering: .acquiring))?.release()
  }

  /// The object; nil if there is none.
  func load() -> Object? {
    object(at: address.load(ordering: .acquiring))?.takeUnretainedValue()
  }

  /// Keeps an object if there is none, and returns the one that is kept.
  func storeIfNil(_ made: Object) -> Object {
    let retained = Unmanaged.passRetained(made)
    let (isKept, kept) = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: retained.toOpaque()), ordering: .acquiringAndReleasing)
    if isKept { return made }
    retained.release()
    return object(at: kept)?.takeUnretainedValue() ?? made
  }

  private func object(at address: UInt) -> Unmanaged<Object>? {
    UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0) }
  }
}
