/// One base of an operator, of whatever type, and how it is read.
struct Upstream<Element: Sendable, Failure: Error>: Sendable {
  /// Reads the base: one element a turn, until there is no further turn or the base has ended.
  typealias Read =
    @Sendable (_ turn: () async -> Bool, _ receive: (Element) -> Void) async throws(Failure) -> Void

  let read: Read

  /// - Parameters:
  ///   - transform: the input of the storage for an element of the base.
  ///   - last: its input when the base has ended without an error, before that end.
  init<Base: AsyncSequence & Sendable>(
    _ base: Base, last: Element? = nil, transform: @escaping @Sendable (Base.Element) -> Element
  ) where Base.Failure == Failure {
    read = { (turn, receive) async throws(Failure) -> Void in
      guard await turn() else { return }
      var iterator = base.makeAsyncIterator()
      repeat {
        guard let element = try await iterator.next(isolation: #isolation) else {
          if let last { receive(last) }
          return
        }
        receive(transform(element))
      } while await turn()
    }
  }

  /// A base whose elements are those of the storage.
  init<Base: AsyncSequence & Sendable>(_ base: Base) where Base.Element == Element, Base.Failure == Failure {
    self.init(base) { $0 }
  }
}
