import Foundation
import MillraceTesting

@testable import PulseService

/// A machine whose readings are scripted.
struct FakeMachineGateway: MachineGateway, FakeGateway {
  let readings: FakeCall<Void, MachineReading>

  init(file: StaticString = #filePath, line: UInt = #line) {
    readings = FakeCall("read", file: file, line: line)
  }

  /// A machine that is the same at each reading.
  static func idle() -> FakeMachineGateway {
    let gateway = FakeMachineGateway()
    gateway.readings.always(.fake())
    return gateway
  }

  /// A machine whose processor is busy for a tenth of the time.
  static func busy() -> FakeMachineGateway {
    let gateway = FakeMachineGateway()
    gateway.readings.always(byNumber: { _, number in .fake(busy: UInt64(number) * 10, total: UInt64(number) * 100) })
    return gateway
  }

  func read() async throws -> MachineReading {
    try await readings()
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
