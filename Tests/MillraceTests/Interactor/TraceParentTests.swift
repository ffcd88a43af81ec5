import Testing

@testable import Millrace

@Suite("TraceParent")
struct TraceParentTests {
  static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  static let parent = "00f067aa0ba902b7"

  @Test("A valid header is read, and written as it was")
  func valid() throws {
    let text = "00-\(Self.trace)-\(Self.parent)-01"
    let read = try #require(TraceParent(text))
    #expect(read.traceID == 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736)
    #expect(read.parentID == 0x00f0_67aa_0ba9_02b7)
    #expect(read.flags == 1)
    #expect(read.isSampled)
    #expect(read.description == text)
  }

  @Test(
    "Flags are read as they are; of those that are written, unknown ones are 0",
    arguments: [("00", "00", false), ("01", "01", true), ("02", "02", false), ("03", "03", true), ("ff", "03", true)])
  func flags(read: String, written: String, isSampled: Bool) throws {
    let value = try #require(TraceParent("00-\(Self.trace)-\(Self.parent)-\(read)"))
    #expect(value.flags == UInt8(read, radix: 16))
    #expect(value.isSampled == isSampled)
    #expect(value.description == "00-\(Self.trace)-\(Self.parent)-\(written)")
  }

  @Test(
    "A higher version is read as far as it is known, and written in version 00",
    arguments: ["", "-", "-what-the-future-will-be-like", "-é"])
  func future(rest: String) throws {
    let value = try #require(TraceParent("cc-\(Self.trace)-\(Self.parent)-01\(rest)"))
    #expect(value.description == "00-\(Self.trace)-\(Self.parent)-01")
  }

  @Test(
    "An invalid header gives nil",
    arguments: [
      "", "00", "-", "00-1-2-01",
      "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-", "00-\(trace)-\(parent)-0", "00-\(trace)-\(parent)-011",
      "00-\(trace)-\(parent)-01-", "00-\(trace)-\(parent)-01-extra", "01-\(trace)-\(parent)-01.extra",
      "01-\(trace)-\(parent)-012",
      "ff-\(trace)-\(parent)-01", "0-\(trace)-\(parent)-01", "000-\(trace)-\(parent)-01",
      "00-00000000000000000000000000000000-\(parent)-01", "00-\(trace)-0000000000000000-01",
      "00-4BF92F3577B34DA6A3CE929D0E0E4736-\(parent)-01", "00-\(trace)-00F067AA0BA902B7-01", "0A-\(trace)-\(parent)-01",
      "00-\(trace)-\(parent)-0A", "00-\(trace)-\(parent)-g1", "00_\(trace)-\(parent)-01", "00-\(trace)_\(parent)-01",
      "00-\(trace)-\(parent)_01", "00-+bf92f3577b34da6a3ce929d0e0e4736-\(parent)-01", "00-\(trace)0-\(parent)-01",
      " 00-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-01 ", "00-\(trace)-\(parent)-é",
    ])
  func invalid(text: String) {
    #expect(TraceParent(text) == nil)
  }

  @Test("An id of 0, which is invalid, is taken as 1")
  func zero() {
    let value = TraceParent(traceID: 0, parentID: 0, flags: 0)
    #expect(value.description == "00-00000000000000000000000000000001-0000000000000001-00")
    #expect(TraceParent(value.description) == value)
  }
}
