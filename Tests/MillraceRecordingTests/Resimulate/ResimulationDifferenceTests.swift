import Testing

@testable import MillraceRecording

@Suite("Resimulation difference")
struct ResimulationDifferenceTests {
  @Test("Names of a file do not steer a terminal")
  func steering() {
    let difference = ResimulationDifference(.stuck, nil, "a\u{1B}[31m\nb")
    #expect(difference.description == "a\\u{1B}[31m\nb")
  }
}
