/// What a consumer that waits for its next element gets.
enum Answer<Element, Failure: Error> {
  case element(Element)
  case end
  case failure(Failure)
}

extension Answer: Sendable where Element: Sendable {}
extension Answer: Equatable where Element: Equatable, Failure: Equatable {}
