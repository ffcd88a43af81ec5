import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The machine as the Linux kernel shows it: `/proc` for processors, load, memory and uptime, statvfs(3) for the disk.
struct ProcMachineGateway: MachineGateway {
  /// The directory where the kernel's texts are.
  var proc = "/proc"
  /// A path on the disk that is watched.
  var disk = "/"

  func read() async throws -> MachineReading {
    try await blockingCall { try readNow() }
  }

  private func readNow() throws -> MachineReading {
    MachineReading(
      time: Date(),
      cpu: try ProcText.cpuTicks(text("stat")),
      load: try ProcText.loadAverage(text("loadavg")),
      memory: try ProcText.memory(text("meminfo")),
      disk: try diskCapacity(),
      uptime: try ProcText.uptime(text("uptime"))
    )
  }

  private func text(_ file: String) throws -> String {
    let path = "\(proc)/\(file)"
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw MachineFailure("\(path) cannot be read; this needs Linux with /proc mounted")
    }
    return text
  }

  /// The capacity for ordinary users: the blocks that are kept for the superuser count neither as free nor as there.
  private func diskCapacity() throws -> Capacity {
    var status = statvfs()
    guard statvfs(disk, &status) == 0 else {
      throw MachineFailure("the disk of \(disk) cannot be measured: \(String(cString: strerror(errno)))")
    }
    let unit = UInt64(status.f_frsize)
    let used = UInt64(status.f_blocks) &- UInt64(status.f_bfree)
    let available = UInt64(status.f_bavail)
    return Capacity(total: (used &+ available) &* unit, available: available &* unit)
  }
}

/// The reason for which the machine cannot be read, in words.
struct MachineFailure: Error, Equatable, Codable, CustomStringConvertible {
  let description: String

  init(_ reason: String) {
    description = reason
  }
}
