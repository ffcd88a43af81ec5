/// The durable end, or durable beginning, of an action, as the program writes it on a line of standard output.
enum Acknowledgement: Equatable {
  /// An action that commits notes has ended; the number is its first note.
  case noted(Int)
  /// The first commit of a parcel is durable.
  case opened(Int)
  /// A parcel has its last piece.
  case packed(Int)

  /// Reads a line; nil for another line.
  init?(_ line: some StringProtocol) {
    let words = line.split(separator: " ")
    guard words.count == 2, let number = Int(words[1]) else { return nil }
    switch words[0] {
    case "noted": self = .noted(number)
    case "opened": self = .opened(number)
    case "packed": self = .packed(number)
    default: return nil
    }
  }

  /// The line, without its end.
  var line: String {
    switch self {
    case .noted(let number): "noted \(number)"
    case .opened(let number): "opened \(number)"
    case .packed(let number): "packed \(number)"
    }
  }
}
