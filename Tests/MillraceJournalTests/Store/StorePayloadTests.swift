import Foundation
import Millrace
import Testing

@testable import MillraceJournal

@Suite("Payloads of a store's entries")
struct StorePayloadTests {
  private let coder = JSONJournalCoder()

  private func payload<Head: PayloadHead>(_ head: Head, _ mutations: DecidedMutations<Sample>) throws -> String {
    String(decoding: try PayloadEncoder(coder).encode(head, mutations), as: UTF8.self)
  }

  @Test("A JSON payload has the bytes that the coder writes for the whole of it")
  func bytes() throws {
    func check<Head: PayloadHead>(_ head: Head) throws {
      let samples: [Sample] = [.one("\u{1}/é\""), .two(number: .infinity, rest: ["a": 1, "b": nil]), .none]
      let all: [(DecidedMutations<Sample>, [Sample])] = [
        (.none, []), (.one(samples[0]), [samples[0]]), (.one(.none), [.none]), (.many(samples), samples),
        (.many([]), []),
      ]
      for (mutations, array) in all {
        let whole = try coder.encode(EntryPayload(head: head, mutations: array))
        #expect(try payload(head, mutations) == String(decoding: whole, as: UTF8.self))
        #expect(mutations.count == array.count)
      }
    }
    let result = KeyedResult(keys: ["a", "b"], outcome: .finished, revisions: 3...4)
    let results = RememberedResult.all(of: result, at: 0)
    #expect(results.map(\.key) == ["a", "b"])
    try check(DecidedHead(results: nil))
    try check(DecidedHead(results: results))
    try check(TakeUpHead(action: ["x/y"], key: RunKey("k", isSenders: true), recovery: .handleAgain(limit: 3), time: 5))
    try check(EmitHead(run: 7))
    try check(EndHead(run: 7, outcome: "finished", results: results))
  }

  @Test("A mutation that encodes nothing is an empty object, as inside a larger value")
  func emptyMutation() throws {
    let bytes = try PayloadEncoder(coder).encode(EmitHead(run: 1), DecidedMutations.one(Silent()))
    #expect(String(decoding: bytes, as: UTF8.self) == #"{"head":{"run":1},"mutations":[{}]}"#)
  }

  @Test("Another coder encodes the payload as a whole")
  func otherCoder() throws {
    let bytes = try PayloadEncoder(PropertyListCoder()).encode(
      DecidedHead(results: nil), DecidedMutations.many([1, 2]))
    let payload = try PropertyListCoder().decode(EntryPayload<DecidedHead, Int>.self, from: Data(bytes))
    #expect(payload.mutations == [1, 2])
  }
}

private enum Sample: Codable {
  case one(String)
  case two(number: Double, rest: [String: Int?])
  case none
}

/// A value whose encoding has no container.
private struct Silent: Codable {
  init() {}

  init(from decoder: any Decoder) throws {}

  func encode(to encoder: any Encoder) throws {}
}

private struct PropertyListCoder: JournalCoder {
  func encode(_ value: some Encodable) throws -> Data { try PropertyListEncoder().encode(value) }

  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try PropertyListDecoder().decode(type, from: data)
  }
}
