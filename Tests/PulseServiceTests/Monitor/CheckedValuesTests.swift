import Foundation
import Testing

@testable import PulseService

@Suite("CheckedValues")
struct CheckedValuesTests {
  private static let far = "[3000000000000,0]"

  @Test(
    "A value that no program has encoded is refused anywhere in a state",
    arguments: [
      ("\"start\":0", "\"start\":9223372036854775807"), ("\"start\":0", "\"start\":-1"), ("\"start\":0", "\"start\":2"),
      ("\"ring\":[1]", "\"ring\":[1,2,3]"), ("\"ring\":[1]", "\"ring\":[\"nan\"]"),
      ("\"capacity\":2", "\"capacity\":0"),
      ("\"underWay\":1", "\"underWay\":9223372036854775807"), ("\"delivered\":0", "\"delivered\":-1"),
      ("\"failed\":0", "\"failed\":9223372036854775807"), ("\"changeCount\":1", "\"changeCount\":9223372036854775807"),
      ("\"number\":1", "\"number\":-9223372036854775808"),
      ("\"observations\":1", "\"observations\":9223372036854775807"),
      ("\"historyLimit\":2", "\"historyLimit\":-1"), ("\"elapsed\":[0,1000000000000000000]", "\"elapsed\":\(far)"),
      ("\"elapsed\":[0,1000000000000000000]", "\"elapsed\":[-1,0]"), ("\"value\":0", "\"value\":\"inf\""),
      ("\"load\":{\"fifteenMinutes\":0.125", "\"load\":{\"fifteenMinutes\":\"nan\""),
      ("\"time\":721692800", "\"time\":1e300"),
      ("\"latency\":[0,1000000000000000000]", "\"latency\":\(far)"), ("\"status\":204", "\"status\":-204"),
    ])
  func refused(part: String, replacement: String) throws {
    let json = try Self.json()
    #expect(try JSONDecoder().decode(PulseState.self, from: Data(json.utf8)) == Self.state)
    let found = try #require(json.range(of: part), "\(part) is not in \(json)")
    let changed = Data(json.replacingCharacters(in: found, with: replacement).utf8)
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    #expect(throws: DecodingError.self) { try decoder.decode(PulseState.self, from: changed) }
  }

  @Test("The largest count stays what it is, and what ends twice is counted as ended once")
  func saturates() {
    #expect(Int.max.incremented == .max && 1.incremented == 2)
    var receiver = Receiver(webhook: .chat)
    receiver.begin(1)
    receiver.deliver()
    receiver.fail("cut")
    #expect(receiver.words == "1 delivered, 1 failed: cut")
  }

  private static let state: PulseState = {
    var state = PulseState(
      rules: [try! AlertRule("target down"), try! AlertRule("target slower than 1 ms for 2 probes")], webhooks: [.chat],
      historyLimit: 2)
    for mutation: PulseMutation in [
      .read(.fake(), at: .zero), .notifying(.chat, change: 1), .probed(.database, .down(reason: "no"), at: .zero),
      .probed(.web, .up(latency: .seconds(1), status: 204), at: .seconds(1)),
    ] { state.apply(mutation) }
    return state
  }()

  private static func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(state), as: UTF8.self)
  }
}
