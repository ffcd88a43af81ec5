/// One request of a load run.
public struct LoadRequest: Sendable {
  /// The number of the virtual user that sends it, from 0.
  public let user: Int

  /// The number of the request in its run, from 0; those of the warm-up count too.
  public let number: Int

  package init(user: Int, number: Int) {
    self.user = user
    self.number = number
  }
}
