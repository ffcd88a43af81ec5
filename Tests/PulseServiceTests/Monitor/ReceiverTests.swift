import Testing

@testable import PulseService

@Suite("Receiver")
struct ReceiverTests {
  @Test("A notice is under way until it is taken or has failed, and counts once")
  func counts() {
    var receiver = Receiver(webhook: .chat)
    #expect(receiver.isUntouched)
    receiver.begin(1)
    receiver.begin(1)
    #expect(receiver.words == "2 under way")
    receiver.deliver()
    #expect(receiver.words == "1 under way, 1 delivered")
    receiver.fail("status 500")
    #expect(receiver.words == "1 delivered, 1 failed: status 500")
    #expect(receiver.underWay == 0)
    #expect(!receiver.isUntouched)
  }

  @Test("A run that counts its end twice leaves no negative number of notices under way")
  func endedTwice() {
    var receiver = Receiver(webhook: .chat)
    receiver.begin(1)
    receiver.deliver()
    receiver.fail("cut")
    #expect(receiver.underWay == 0)
  }

  @Test("A skipped notice counts as failed, and its reason is told only where no failure came before")
  func skipped() {
    var receiver = Receiver(webhook: .chat)
    receiver.skip(2, "too many were waiting")
    #expect(receiver.words == "1 failed: too many were waiting")
    receiver.fail("status 500")
    receiver.skip(2, "too many were waiting")
    #expect(receiver.words == "3 failed: status 500")
  }

  @Test("A change waits until its notice is posted or skipped")
  func waiting() {
    var receiver = Receiver(webhook: .chat)
    (1...3).forEach { receiver.wait(for: $0) }
    receiver.begin(2)
    #expect(receiver.waiting == [1, 3])
    receiver.skip(1, "no")
    #expect(receiver.waiting == [3])
  }
}
