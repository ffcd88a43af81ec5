import Testing

@testable import PulseService

@Suite("ProcMachineGateway")
struct ProcMachineGatewayTests {
  #if os(Linux)
    @Test("The real machine is read, and its counters do not go back")
    func realMachine() async throws {
      let gateway = ProcMachineGateway()
      let first = try await gateway.read()
      let second = try await gateway.read()
      for reading in [first, second] {
        #expect(reading.cpu.busy <= reading.cpu.total)
        #expect(reading.memory.total > 0 && reading.memory.available <= reading.memory.total)
        #expect(reading.disk.total > 0 && reading.disk.available <= reading.disk.total)
        #expect(reading.load.oneMinute >= 0)
        #expect(reading.uptime > .zero)
      }
      #expect(second.uptime >= first.uptime)
      #expect(second.cpu.total >= first.cpu.total)
    }
  #endif

  @Test("A machine without /proc says what is missing")
  func withoutProc() async {
    let gateway = ProcMachineGateway(proc: "/nowhere")
    let error = await #expect(throws: MachineFailure.self) { try await gateway.read() }
    #expect(error?.description == "'/nowhere/stat' cannot be read; this needs Linux with /proc mounted")
  }

  #if os(Linux)
    @Test("A disk that is not there says so")
    func withoutDisk() async {
      let gateway = ProcMachineGateway(disk: "/nowhere")
      let error = await #expect(throws: MachineFailure.self) { try await gateway.read() }
      #expect(error?.description == "the disk of /nowhere cannot be measured: No such file or directory")
    }
  #endif
}
