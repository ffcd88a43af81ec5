/// What a feedback or a thunk does with its store: it sends actions, and reads the live state.
///
/// It does not hold the store. Once the store is shut down or released, actions are rejected and sequences have ended.
public struct StoreAccess<State: Sendable, Action: Sendable>: Sendable {
  /// Sends actions to the store; each passes the interceptors.
  public let sender: Sender<Action>

  /// Reads and observes the store's state.
  public let reader: StateReader<State>

  /// The store's clock.
  public let clock: any Clock<Duration>

  init(sender: Sender<Action>, reader: StateReader<State>, clock: any Clock<Duration>) {
    self.sender = sender
    self.reader = reader
    self.clock = clock
  }

  /// Gives the store an action, as ``Sender/send(_:)``.
  @discardableResult
  public func send(_ action: Action) -> Receipt {
    sender.send(action)
  }

  /// The state now.
  public var state: State {
    get async { await reader.state }
  }

  /// The same access, as long as the gate is open.
  func through(_ gate: EffectGate) -> StoreAccess {
    StoreAccess(sender: Sender(GatedTaking(target: sender, gate: gate)), reader: reader, clock: clock)
  }
}
