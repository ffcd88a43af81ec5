/// The error that handlers of tests throw.
struct Mishap: Error, Equatable, CustomStringConvertible {
  var description: String { "a mishap" }
}
