/// The error that the base sequences of the tests throw.
struct Mishap: Error, Equatable {}
