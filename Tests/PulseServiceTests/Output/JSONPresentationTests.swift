import Foundation
import Millrace
import Testing

@testable import PulseService

@Suite("JSONPresentation")
struct JSONPresentationTests {
  @Test("A state is one compact object on a line, with an integer revision, always in the same order")
  func line() throws {
    #expect(
      JSONPresentation().text(try .fake([.probing(.web)])) == """
        {"alerts":[{"rule":"cpu > 30 % for 1 h","sinceSeconds":1,"status":"pending","subject":"cpu"},\
        {"rule":"load > 9","status":"ok","subject":"load"},\
        {"rule":"target down for 2 probes","status":"ok","subject":"http://web.test/"},\
        {"rule":"target down for 2 probes","sinceSeconds":2,"status":"firing","subject":"tcp://database.test:5432"}],\
        "elapsedSeconds":2,\
        "machine":{"cpuPercent":100,"diskAvailableBytes":1000,"diskPercent":50,"diskTotalBytes":2000,\
        "load":[0.5,0.25,0.125],"memoryAvailableBytes":750,"memoryPercent":25,"memoryTotalBytes":1000,\
        "uptimeSeconds":93784},\
        "revision":7,\
        "targets":[{"latencySeconds":0.012345,"status":"probing","url":"http://web.test/"},\
        {"reason":"connection refused","status":"down","url":"tcp://database.test:5432"}],\
        "time":"2023-11-14T22:13:20Z"}\n
        """)
  }

  @Test("A state without a sample is an object too")
  func empty() {
    #expect(
      JSONPresentation().text(Snapshot(revision: 0, state: PulseState()))
        == "{\"alerts\":[],\"elapsedSeconds\":0,\"revision\":0,\"targets\":[]}\n")
  }

  @Test("Webhooks, and why rules were kept, are there when there is something to say")
  func webhooks() throws {
    var state = PulseState(owing: .fake(1), .fake(3, of: "load > 8"), to: [.chat, .pager])
    for mutation: PulseMutation in [
      .rulesKept(reason: "no"), .recordingFailed(reason: "full"), .notifying(.chat, .fake(1)),
      .notifyFailed(.chat, .fake(1), reason: "status 500", mayHaveArrived: false),
      .notifying(.chat, .fake(3, of: "load > 8")),
    ] { state.apply(mutation) }
    #expect(
      JSONPresentation().text(Snapshot(revision: 4, state: state)) == """
        {"alerts":[],"elapsedSeconds":0,"recordingFailure":"full","revision":4,"rulesFailure":"no","targets":[],"webhooks":[\
        {"delivered":0,"failed":1,"lastFailure":"status 500","underWay":1,"url":"https://chat.test/…","waiting":1},\
        {"delivered":0,"failed":0,"underWay":0,"url":"https://pager.test","waiting":2}]}\n
        """)
  }

  @Test("A line break in a reason does not break the line")
  func lineBreak() throws {
    let text = JSONPresentation().text(try .fake([.sampleFailed(reason: "a\nb")]))
    #expect(text.split(separator: "\n").count == 1)
    #expect(text.contains(#""machineFailure":"a\nb""#))
  }
}
