/// Tells one action of a store from every other one of that store.
///
/// Ids are unique in one store. They are not an order: an action that was sent while another thread had the store's lock is
/// numbered apart from those that found it free.
public struct ActionID: Sendable, Hashable, CustomStringConvertible {
  /// The id as a number.
  public let number: UInt64

  @inlinable
  package init(number: UInt64) {
    self.number = number
  }

  /// The id of the `count`th action that was taken up at once.
  @inlinable
  static func takenAtOnce(_ count: Int) -> ActionID {
    ActionID(number: UInt64(count) << 2)
  }

  /// The id of the `count`th action that was queued for the holder.
  @inlinable
  static func left(_ count: Int) -> ActionID {
    ActionID(number: UInt64(count) << 2 | 1)
  }

  /// The id of the `count`th action that was rejected because too many were left.
  static func refused(_ count: Int) -> ActionID {
    ActionID(number: UInt64(count) << 2 | 2)
  }

  /// The number behind a sign.
  public var description: String { "#\(number)" }
}
