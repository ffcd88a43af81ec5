import Foundation
import Millrace
import MillraceRecording
import Testing

@testable import MillraceShelf

/// Recordings of a shelf.
enum ShelfLines {
  /// A recording line by line: two books, one of them sent by a handler, a failed call, a rest, two steps, a rejected action, a gap.
  static let all: [String] = [
    ##"{"millraceRecording":3,"actionType":"MillraceShelf.Shelf.Action","mutationType":"MillraceShelf.Shelf.Mutation","##
      + ##""stateType":"MillraceShelf.Shelf.State","redacted":false,"began":"2026-11-25T16:44:38.120Z","at":0,"revision":0,"##
      + ##""state":{"books":[],"pages":0}}"##,
    ##"{"kind":"action","at":0,"run":"#4@1","action":{"put":{"_0":"<Emma>","pages":400}}}"##,
    ##"{"kind":"commit","at":0,"revision":1,"run":"#4@1","mutation":{"put":{"_0":"<Emma>","pages":400}}}"##,
    ##"{"kind":"end","at":1000,"run":"#4@1","outcome":"finished"}"##,
    ##"{"kind":"action","at":2000,"run":"#8@1","action":{"putSeries":{"_0":["One"]}}}"##,
    ##"{"kind":"action","at":3000,"run":"#12@1","parent":"#8@1","root":"#8@1","action":{"put":{"_0":"One","pages":3}}}"##,
    ##"{"kind":"commit","at":3000,"revision":2,"run":"#12@1","mutation":{"put":{"_0":"One","pages":3}}}"##,
    ##"{"kind":"state","at":3000,"revision":2,"state":{"books":["<Emma>","One"],"pages":403}}"##,
    ##"{"kind":"end","at":3500,"run":"#12@1","outcome":"finished"}"##,
    ##"{"kind":"call","at":3700,"took":150,"run":"#8@1","name":"price","request":"1","error":"gone"}"##,
    ##"{"kind":"rest","at":3800,"run":"#8@1","attempt":1,"duration":100}"##,
    ##"{"kind":"step","at":3900,"run":"#8@1","name":"order","value":"{\"copies\":\"<2>\"}"}"##,
    ##"{"kind":"step","at":3950,"run":"#8@1","name":"ship","failure":"\"no <van>\""}"##,
    ##"{"kind":"end","at":4000,"run":"#8@1","outcome":"failed","error":"the shelf is <full>"}"##,
    ##"{"kind":"action","at":4500,"run":"#16@1","accepted":false,"action":{"clear":{}}}"##,
    ##"{"kind":"end","at":4500,"run":"#16@1","outcome":"rejected"}"##,
    ##"{"kind":"gap","at":5000,"missed":3}"##,
    ##"{"kind":"commit","at":5000,"revision":9,"run":"#20@1","mutation":{"cleared":{}}}"##,
  ]

  /// The lines with another number of pages in the recorded state, as of a reducer that was another one.
  static let otherPages = all.map { $0.replacing("\"pages\":403", with: "\"pages\":404") }

  /// Records a store that is sent `count` books, and a series that a handler commits.
  static func record(_ count: Int, to url: URL) async {
    let recorder = FileRecorder<Shelf>(initial: Shelf.State(), to: url)
    let sender = Lock<Sender<Shelf.Action>?>(nil)
    let shelf = Shelf { action in _ = await sender.withLock { $0 }?.send(action).outcome }
    let store = Store(initial: Shelf.State(), interactor: shelf, interceptors: [recorder])
    sender.withLock { $0 = store.sender }
    for number in 1...count { store.send(.put("Volume <\(number)>", pages: number)) }
    _ = await store.send(.putSeries(["One", "Two", "Three"])).outcome
    await store.shutdown()
    #expect(await recorder.finish(within: .seconds(60)))
  }
}
