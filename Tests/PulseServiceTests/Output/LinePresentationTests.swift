import Millrace
import Testing

@testable import PulseService

@Suite("LinePresentation")
struct LinePresentationTests {
  @Test("A state is one line: the machine, the targets, and the alerts that are not ok")
  func line() throws {
    #expect(
      LinePresentation().text(try .fake()) == """
        2023-11-14T22:13:20Z  cpu 100.0 %  memory 25.0 %  disk 50.0 %  load 0.50  machine up 1 d 2 h \
        | http://web.test/ up 12.3 ms | tcp://database.test:5432 down: connection refused \
        | pending: cpu > 30 % for 1 h | firing: target down for 2 probes (tcp://database.test:5432)\n
        """)
  }

  @Test("A target that is being probed shows what it was")
  func probing() throws {
    let text = LinePresentation().text(try .fake([.probing(.web), .probing(.database)]))
    #expect(text.contains("http://web.test/ probing, was up 12.3 ms |"))
    #expect(text.contains("tcp://database.test:5432 probing, was down: connection refused |"))
  }

  @Test("A webhook stands behind all else once it was told of something")
  func webhook() {
    var state = PulseState(webhooks: [.chat, .pager])
    #expect(LinePresentation().text(Snapshot(revision: 0, state: state)) == "no sample yet\n")
    state.receivers[1].note(.fake(1))
    state.apply(.notifying(.pager, .fake(1)))
    state.apply(.notified(.pager, .fake(1)))
    #expect(
      LinePresentation().text(Snapshot(revision: 2, state: state))
        == "no sample yet | webhook https://pager.test 1 delivered\n")
  }

  @Test("A state without a sample says so, and a failure says why")
  func empty() {
    var state = PulseState()
    #expect(LinePresentation().text(Snapshot(revision: 0, state: state)) == "no sample yet\n")
    state.apply(.sampleFailed(reason: "no\n/proc"))
    #expect(LinePresentation().text(Snapshot(revision: 1, state: state)) == "machine unreadable: no?/proc\n")
    state.apply(.probing(.web))
    #expect(LinePresentation().text(Snapshot(revision: 2, state: state)).contains("| http://web.test/ probing\n"))
  }
}
