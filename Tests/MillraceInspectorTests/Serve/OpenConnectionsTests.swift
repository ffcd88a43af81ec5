import Foundation
import MillraceSocketClient
import Testing

@testable import MillraceInspector

@Suite("Connections of an inspector", .timeLimit(.minutes(1)))
struct OpenConnectionsTests {
  /// The two ends of a connection.
  private final class Pair: Sendable {
    let server: Int32
    let client: Int32

    init() {
      var ends: [Int32] = [0, 0]
      #if canImport(Glibc)
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
      #else
        socketpair(AF_UNIX, SOCK_STREAM, 0, &ends)
      #endif
      (server, client) = (ends[0], ends[1])
    }

    deinit {
      close(server)
      close(client)
    }

    /// Whether the server has disconnected the client by now.
    var isDisconnected: Bool {
      var byte: UInt8 = 0
      return recv(client, &byte, 1, Int32(MSG_DONTWAIT)) == 0
    }

    /// Returns when the server disconnects the client.
    func disconnection() async {
      await onThread { [self] in
        var byte: UInt8 = 0
        _ = recv(client, &byte, 1, 0)
      }
    }
  }

  private let queue = DispatchQueue(label: "connections")

  @Test(
    "Beyond the limit the slowest client is disconnected, whether it sends or reads; not one that waits for its answer")
  func limit() {
    let connections = OpenConnections(limit: 3, time: .seconds(3_600), on: queue)
    let pairs = (0..<6).map { _ in Pair() }
    let numbers = pairs.prefix(3).map { connections.add($0.server) }
    connections.note(.answering, numbers[0])
    connections.note(.sending, numbers[1])
    _ = connections.add(pairs[3].server)
    #expect(pairs.map(\.isDisconnected) == [false, false, true, false, false, false], "the third waits longest")
    connections.remove(numbers[2])
    _ = connections.add(pairs[4].server)
    #expect(pairs.map(\.isDisconnected) == [false, true, true, false, false, false], "the second reads slowly")
    // It is no more noted by what the server does with it until it is removed.
    connections.note(.waiting, numbers[1])
    connections.remove(numbers[1])
    connections.note(.waiting, numbers[0])
    _ = connections.add(pairs[5].server)
    #expect(
      pairs.map(\.isDisconnected) == [false, true, true, true, false, false], "the fourth waits longer than the first")
  }

  @Test("A connection whose descriptor is one of the last 32 is disconnected at once", arguments: [32, 33])
  func reserve(above: Int) {
    let pair = Pair()
    let limit = Int(pair.server) + above
    let connections = OpenConnections(limit: 3, time: .seconds(3_600), fileLimit: { limit }, on: queue)
    let number = connections.add(pair.server)
    #expect(pair.isDisconnected == (above == 32))
    connections.note(.answering, number)
    connections.remove(number)
  }

  @Test("A client that is slow to send or to read is disconnected after the time", arguments: [true, false])
  func time(reads: Bool) async {
    let connections = OpenConnections(limit: 3, time: .milliseconds(5), on: queue)
    let (slow, answered) = (Pair(), Pair())
    let number = connections.add(answered.server)
    connections.note(.answering, number)
    let slowNumber = connections.add(slow.server)
    if reads { connections.note(.sending, slowNumber) }
    await slow.disconnection()
    #expect(!answered.isDisconnected)
    connections.note(.sending, number)
    await answered.disconnection()
  }
}
