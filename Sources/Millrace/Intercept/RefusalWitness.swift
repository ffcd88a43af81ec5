/// An interceptor that is also told which actions are rejected without ever having been accepted.
///
/// By ``Interceptor/ended(_:outcome:)`` alone nobody can know it who was not among the interceptors all the time.
package protocol RefusalWitness<Action>: Sendable {
  /// What is sent to the store.
  associatedtype Action: Sendable

  /// Called right before ``Interceptor/ended(_:outcome:)``, on the same thread.
  func refused(_ cause: Cause<Action>)
}
