/// The open connections of a server by their descriptors, and the decision about each new one: a pure value.
///
/// A connection is idle from its beginning, and from each answer on, until the line of a request has arrived. Where there is no room for a new
/// connection, the connection that has been idle the longest is evicted, so that clients which send nothing shut out no others.
struct OpenConnections {
  private enum Phase: Equatable {
    /// The client may send a line; a lower turn has been idle for longer. Becomes `busy` or `evicted`.
    case idle(turn: UInt64)
    /// A request is read or answered. Becomes `idle`.
    case busy
    /// Made room for another connection; its client is told so.
    case evicted
    /// Was never served; its client is told so.
    case refused
  }

  /// The decision about a new connection.
  enum Admission: Equatable {
    /// The connection is served; another one is evicted for that, if it is named.
    case serve(evicting: Int32?)
    case refuse
    /// The decision is made when an evicted connection is closed; the clients behind this one wait until then.
    case wait
    /// The connection is closed without a word, because too many are refused or the server stops.
    case close
  }

  /// The most connections that are served at the same time; the same number may be told that they are not.
  let limit: Int
  private var phases: [Int32: Phase] = [:]
  /// The number of connections that are idle or busy.
  private var served = 0
  private var lastTurn: UInt64 = 0
  private(set) var isStopping = false

  init(limit: Int) {
    self.limit = limit
  }

  /// Adds a connection, unless it is to be closed or to wait.
  ///
  /// - Parameter hasInput: whether a connection has sent bytes that were not read yet; such a connection is not evicted.
  mutating func add(_ descriptor: Int32, hasInput: (Int32) -> Bool) -> Admission {
    guard !isStopping else { return .close }
    guard phases.count < 2 * limit else { return phases.values.contains(.evicted) ? .wait : .close }
    var evicted: Int32?
    if served == limit {
      evicted = idle.first { !hasInput($0) }
      guard let evicted else {
        phases[descriptor] = .refused
        return .refuse
      }
      phases[evicted] = .evicted
      served -= 1
    }
    served += 1
    rest(descriptor)
    return .serve(evicting: evicted)
  }

  /// Notes that a line of an idle connection has arrived; false for a connection that was evicted before.
  mutating func begin(_ descriptor: Int32) -> Bool {
    guard phases[descriptor] != .evicted else { return false }
    phases[descriptor] = .busy
    return true
  }

  /// Notes that a connection is idle.
  mutating func rest(_ descriptor: Int32) {
    lastTurn += 1
    phases[descriptor] = .idle(turn: lastTurn)
  }

  func isEvicted(_ descriptor: Int32) -> Bool { phases[descriptor] == .evicted }

  /// Removes a connection that is closed; true for one that was evicted.
  mutating func remove(_ descriptor: Int32) -> Bool {
    let phase = phases.removeValue(forKey: descriptor)
    switch phase {
    case .idle, .busy: served -= 1
    case .evicted, .refused, nil: break
    }
    return phase == .evicted
  }

  /// Admits no further connection, and returns those that are open.
  mutating func stop() -> [Int32] {
    isStopping = true
    return Array(phases.keys)
  }

  /// The idle connections, the longest idle one first.
  private var idle: [Int32] {
    phases.compactMap { descriptor, phase in
      if case .idle(let turn) = phase { (descriptor, turn) } else { nil }
    }.sorted { $0.1 < $1.1 }.map(\.0)
  }
}
