import Testing

@testable import PulseService

@Suite("Sparkline")
struct SparklineTests {
  @Test("Each number is a bar between 0 and the top")
  func bars() {
    #expect(Sparkline.text([0, 50, 100], width: 10, top: 100, isASCII: false) == "▁▅█")
    #expect(Sparkline.text([0, 50, 100], width: 10, top: 100, isASCII: true) == "_=#")
  }

  @Test("Without a top the largest number shown is the top")
  func ownTop() {
    #expect(Sparkline.text([9, 1, 2], width: 2, isASCII: false) == "▅█")
  }

  @Test("The newest numbers are kept when there is no room for all", arguments: [-1, 0, 1, 2, 3, 4])
  func width(width: Int) {
    #expect(Sparkline.text([0, 1, 0], width: width, isASCII: true).count == min(max(width, 0), 3))
  }

  @Test("Numbers out of range are drawn at the ends, and zeros alone at the bottom")
  func outOfRange() {
    #expect(Sparkline.text([-50, 500], width: 9, top: 100, isASCII: false) == "▁█")
    #expect(Sparkline.text([0, 0], width: 9, isASCII: false) == "▁▁")
  }
}
