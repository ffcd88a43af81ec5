import Millrace
import Testing

@Suite("Pulse")
struct PulseTests {
  @Test("O4: a pulse differs from what it was each time it is set, even to an equal value")
  func settingIsTheNews() {
    var pulse = Pulse("a")
    let made = pulse
    #expect(pulse == made)
    #expect(pulse.settings == 0)
    pulse.value = "a"
    #expect(pulse != made)
    #expect(pulse.value == "a")
    let set = pulse
    #expect(pulse == set)
    pulse.value = "b"
    #expect(pulse != set)
    #expect(pulse.settings == 2)
  }
}
