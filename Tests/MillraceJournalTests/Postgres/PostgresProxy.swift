#if Postgres
  import Foundation
  import Millrace
  import MillraceTesting

  /// A relay between journals and a server, which cuts connections at a chosen message.
  ///
  /// Each direction of a connection has a thread.
  final class PostgresProxy: Sendable {
    /// The fate of a transaction of a client.
    enum Cut {
      /// The server does not get it.
      case beforeSending
      /// The server has stored it, and the client does not get the answer.
      case beforeAnswer
      /// The server gets what stands before the text only, and the connection stays.
      case inTheMiddle
    }

    private struct State {
      /// The port of the server.
      var server: UInt16
      var cut: Cut?
      /// The text that the next transaction has to have; any one if it is empty.
      var marker: [UInt8] = []
      var sockets: [Int32] = []
    }

    /// A connection, which has two threads.
    private final class Relay: Sendable {
      let isMuted = Lock(false)
      private let left = Lock(2)

      /// Ends one of the threads; true for the last one.
      func endOne() -> Bool {
        left.withLock { left in
          left -= 1
          return left == 0
        }
      }
    }

    private let state: Lock<State>
    /// An element for each connection or transaction that was cut.
    let cuts = Recorder<String>()
    private let listener: Int32
    private let held = DispatchSemaphore(value: 0)
    /// The port of the loopback.
    let port: UInt16

    init(to server: UInt16) throws {
      state = Lock(State(server: server))
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      self.listener = listener
      var address = Self.loopback(0)
      let isBound = Self.with(&address) { bind(listener, $0, $1) } == 0 && listen(listener, 100) == 0
      let isNamed = Self.with(&address) { name, size in
        var size = size
        return getsockname(listener, UnsafeMutablePointer(mutating: name), &size)
      }
      guard isBound, isNamed == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
      port = UInt16(bigEndian: address.sin_port)
      Thread.detachNewThread { [weak self] in
        while true {
          let client = accept(listener, nil, nil)
          guard client >= 0, let self else { return }
          self.relay(client)
        }
      }
    }

    deinit {
      shutdown(listener, Int32(SHUT_RDWR))
      close(listener)
    }

    /// Cuts the next transaction that has this text.
    func cut(_ cut: Cut, at marker: String) {
      state.withLock { ($0.cut, $0.marker) = (cut, Array(marker.utf8)) }
    }

    /// Leads the connections from now on to another server; those that are open stay.
    func redirect(to server: UInt16) { state.withLock { $0.server = server } }

    /// Ends all connections.
    func endAll() {
      held.signal()
      for socket in state.withLock({ $0.sockets }) { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    private func relay(_ client: Int32) {
      let upstream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = Self.loopback(state.withLock { $0.server })
      guard Self.with(&address, { connect(upstream, $0, $1) }) == 0 else {
        close(client)
        close(upstream)
        return
      }
      state.withLock { $0.sockets += [client, upstream] }
      let relay = Relay()
      let end: @Sendable () -> Void = {
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(upstream, Int32(SHUT_RDWR))
        guard relay.endOne() else { return }
        self.state.withLock { $0.sockets.removeAll { $0 == client || $0 == upstream } }
        close(client)
        close(upstream)
      }
      Thread.detachNewThread {
        self.pump(client, upstream, relay)
        end()
      }
      Thread.detachNewThread {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
          let count = recv(upstream, &buffer, buffer.count, 0)
          if count <= 0 { break }
          if relay.isMuted.withLock({ $0 }) {
            self.cuts.record("before the answer")
            break
          }
          if !Self.send(buffer[..<count], to: client) { break }
        }
        end()
      }
    }

    /// Passes what a client sends.
    private func pump(_ client: Int32, _ upstream: Int32, _ relay: Relay) {
      var buffer = [UInt8](repeating: 0, count: 1 << 20)
      while true {
        let count = recv(client, &buffer, buffer.count, 0)
        if count <= 0 { return }
        let cut = state.withLock { state -> Cut? in
          guard let cut = state.cut, buffer[..<count].contains(state.marker) else { return nil }
          state.cut = nil
          return cut
        }
        switch cut {
        case nil: break
        case .beforeSending:
          cuts.record("before sending")
          return
        case .beforeAnswer: relay.isMuted.withLock { $0 = true }
        case .inTheMiddle:
          let marker = state.withLock { $0.marker }
          let start = buffer[..<count].indices.first { buffer[$0..<count].starts(with: marker) } ?? 0
          _ = Self.send(buffer[..<start], to: upstream)
          cuts.record("in the middle")
          // The server keeps the connection, also once the client has given it up.
          held.wait()
          return
        }
        if !Self.send(buffer[..<count], to: upstream) { return }
      }
    }

    private static func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
      var rest = bytes
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count <= 0 { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return address
    }

    private static func with<Value>(
      _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
    ) -> Value {
      withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body(UnsafePointer($0), socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
  }
#endif
