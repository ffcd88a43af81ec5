import Foundation
import Millrace

@testable import PulseService

/// A machine whose readings are scripted by their number, from 0.
final class FakeMachineGateway: MachineGateway {
  private let reads = Lock(0)
  private let script: @Sendable (Int) async throws -> MachineReading

  init(_ script: @escaping @Sendable (Int) async throws -> MachineReading) {
    self.script = script
  }

  func read() async throws -> MachineReading {
    let number = reads.withLock { reads in
      defer { reads += 1 }
      return reads
    }
    return try await script(number)
  }
}

extension MachineReading {
  /// A reading of a machine with 1,000 bytes of memory, a quarter of it used, and 2,000 of disk, half of it used.
  static func fake(busy: UInt64 = 0, total: UInt64 = 0, load: Double = 0.5) -> MachineReading {
    MachineReading(
      time: Date(timeIntervalSince1970: 1_700_000_000),
      cpu: CPUTicks(busy: busy, total: total),
      load: LoadAverage(oneMinute: load, fiveMinutes: 0.25, fifteenMinutes: 0.125),
      memory: Capacity(total: 1000, available: 750),
      disk: Capacity(total: 2000, available: 1000),
      uptime: .seconds(93_784))
  }
}
