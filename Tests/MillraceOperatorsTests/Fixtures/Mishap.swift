/// What the bases of the tests fail with.
struct Mishap: Error, Equatable {}
