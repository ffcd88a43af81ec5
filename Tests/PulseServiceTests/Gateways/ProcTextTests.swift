import Testing

@testable import PulseService

@Suite("ProcText")
struct ProcTextTests {
  @Test(
    "The ticks of all processors are busy but for idle and iowait, and guests are not counted twice",
    arguments: [
      ("cpu  10 1 5 80 4 0 0 0 0 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n", CPUTicks(busy: 16, total: 100)),
      ("cpu  10 0 10 80\n", CPUTicks(busy: 20, total: 100)),
      ("cpu  10 1 5 70 4 2 3 5 9 9\n", CPUTicks(busy: 26, total: 100)),
      ("intr 1 2\ncpu 1 1 1 1\n", CPUTicks(busy: 3, total: 4)),
    ])
  func ticks(stat: String, expected: CPUTicks) throws {
    #expect(try ProcText.cpuTicks(stat) == expected)
  }

  @Test(
    "A stat text without a proper cpu line is refused with the reason",
    arguments: [
      ("", "'/proc/stat' cannot be understood: it has no line cpu"),
      ("cpu0 1 2 3 4\n", "'/proc/stat' cannot be understood: it has no line cpu"),
      ("cpu 1 2 3\n", "'/proc/stat' cannot be understood: its cpu line is not made of at least 4 numbers"),
      ("cpu 1 2 x 4 5\n", "'/proc/stat' cannot be understood: its cpu line is not made of at least 4 numbers"),
    ])
  func brokenTicks(stat: String, sentence: String) {
    let error = #expect(throws: ProcTextError.self) { try ProcText.cpuTicks(stat) }
    #expect(error?.description == sentence)
  }

  @Test("The load is the first three numbers of loadavg")
  func load() throws {
    let load = try ProcText.loadAverage("0.52 1.58 12.59 3/456 7890\n")
    #expect(load == LoadAverage(oneMinute: 0.52, fiveMinutes: 1.58, fifteenMinutes: 12.59))
  }

  @Test("A loadavg text that does not begin with three numbers is refused", arguments: ["", "1 2", "a b c", "nan 1 2"])
  func brokenLoad(text: String) {
    let error = #expect(throws: ProcTextError.self) { try ProcText.loadAverage(text) }
    #expect(error?.description == "'/proc/loadavg' cannot be understood: it does not begin with 3 numbers")
  }

  @Test("Memory is MemTotal and MemAvailable, in bytes")
  func memory() throws {
    let text = "MemTotal:        8000 kB\nMemFree:          100 kB\nMemAvailable:    6000 kB\nSwapTotal: 0 kB\n"
    #expect(try ProcText.memory(text) == Capacity(total: 8_192_000, available: 6_144_000))
  }

  @Test(
    "A meminfo text that lacks a line or a number is refused with the reason",
    arguments: [
      ("MemTotal: 8000 kB\n", "'/proc/meminfo' cannot be understood: it has no line MemAvailable:"),
      ("MemTotal: many\nMemAvailable: 1 kB", "'/proc/meminfo' cannot be understood: its MemTotal: line has no number"),
      ("MemTotal: 18446744073709551615 kB", "'/proc/meminfo' cannot be understood: its MemTotal: line has no number"),
    ])
  func brokenMemory(text: String, sentence: String) {
    let error = #expect(throws: ProcTextError.self) { try ProcText.memory(text) }
    #expect(error?.description == sentence)
  }

  @Test("The uptime is the first number of uptime, in seconds")
  func uptime() throws {
    #expect(try ProcText.uptime("350735.25 234388.90\n") == .milliseconds(350_735_250))
  }

  @Test("An uptime text that begins with no sensible number is refused", arguments: ["", "x", "-1 0", "nan", "1e300"])
  func brokenUptime(text: String) {
    let error = #expect(throws: ProcTextError.self) { try ProcText.uptime(text) }
    #expect(error?.description == "'/proc/uptime' cannot be understood: it does not begin with a number of seconds")
  }
}
