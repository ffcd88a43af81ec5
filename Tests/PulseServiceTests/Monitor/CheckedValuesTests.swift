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
      ("\"posting\":1", "\"posting\":9223372036854775807"), ("\"delivered\":0", "\"delivered\":-1"),
      ("\"failed\":0", "\"failed\":9223372036854775807"), ("\"changeCount\":1", "\"changeCount\":9223372036854775807"),
      ("\"number\":1", "\"number\":-9223372036854775808"),
      ("\"observations\":1", "\"observations\":9223372036854775807"),
      ("\"historyLimit\":2", "\"historyLimit\":-1"), ("\"elapsed\":[0,1000000000000000000]", "\"elapsed\":\(far)"),
      ("\"elapsed\":[0,1000000000000000000]", "\"elapsed\":[-1,0]"), ("\"value\":0", "\"value\":\"inf\""),
      ("\"load\":{\"fifteenMinutes\":0.125", "\"load\":{\"fifteenMinutes\":\"nan\""),
      ("\"time\":721692800", "\"time\":1e300"), ("\"zero\":721692800", "\"zero\":1e300"),
      ("\"idempotencyKey\":\"key-1\",\"time\":721692800", "\"idempotencyKey\":\"key-1\",\"time\":1e300"),
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

  @Test("A reply that asks for a rest of a thousand years is refused")
  func refusedRest() throws {
    let failure = GatewayFailure.status(503, retryAfter: .seconds(1))
    let json = String(decoding: try JSONEncoder().encode(failure), as: UTF8.self)
    let far = json.replacing("[0,1000000000000000000]", with: Self.far)
    #expect(try JSONDecoder().decode(GatewayFailure.self, from: Data(json.utf8)) == failure && far != json)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(GatewayFailure.self, from: Data(far.utf8)) }
  }

  private enum Key: CodingKey { case value }

  /// A value as the checks of pulse read it.
  private struct Checked<Value: Decodable>: Decodable {
    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Key.self)
      switch Value.self {
      case is Int.Type: _ = try values.decode(Int.self, forKey: .value) as Int
      case is Duration.Type: _ = try values.decode(Duration.self, forKey: .value) as Duration
      case is Date.Type: _ = try values.decode(Date.self, forKey: .value) as Date
      default: _ = try values.decode(Double.self, forKey: .value) as Double
      }
    }
  }

  /// Whether a value that is encoded is read.
  private func isRead<Value: Codable>(_ value: Value) throws -> Bool {
    let json = try JSONEncoder().encode(["value": value])
    return (try? JSONDecoder().decode(Checked<Value>.self, from: json)) != nil
  }

  @Test("Values are read up to their limits, and none beyond", arguments: [-1, 0, 1])
  func limits(difference: Int) throws {
    let isWithin = difference <= 0
    #expect(try isRead(Int.max / 4 + difference) == isWithin)
    #expect(try isRead(-difference) == isWithin)
    #expect(try isRead(Duration.seconds(32_000_000_000 + difference)) == isWithin)
    #expect(try isRead(Duration.nanoseconds(-difference)) == isWithin)
    #expect(try isRead(Date(timeIntervalSince1970: 32_000_000_000 + Double(difference))) == isWithin)
    #expect(try isRead(Date(timeIntervalSince1970: -32_000_000_000 - Double(difference))) == isWithin)
    #expect(try isRead(Double(difference) * 1e299 + 1e300) == isWithin)
    #expect(try isRead(Double(-difference)) == isWithin)
  }

  @Test("Each type that is stored in an action, a mutation, a state or a reply is checked, or has only harmless values")
  func stored() {
    let harmless: [Any.Type] = [Bool.self, String.self, URL.self, UInt16.self, UInt64.self]
    let roots: [Any.Type] = [
      PulseMonitor.Action.self, PulseMutation.self, PulseState.self, MachineReading.self, MachineFailure.self,
      GatewayFailure.self, ConfigurationReading.self,
    ]
    #expect(StoredTypes(of: "PulseService", harmless: harmless, in: roots).unchecked == [])
    #expect(
      StoredTypes(of: "PulseServiceTests", harmless: harmless, in: [Unchecked.self]).unchecked
        == ["Int32", "Float", "Int", "Duration", "UInt8"])
  }

  /// Values without a check beside checked ones.
  private enum Unchecked {
    struct Part {
      let float: Float?
      let date: Date?
      let dates: [Date]
    }
    case empty
    case number(Int32, name: String)
    case part(Part)
    indirect case counts([String: Int], [Duration?], Unchecked)
    case bytes(of: [UInt8])
  }

  @Test("A journal of a pulse without certificates, recoveries and reminders is read, and written as it was")
  func earlier() throws {
    let alert =
      #"{"rule":{"condition":{"target":{"_1":{"down":{}}}},"hold":{"observations":{"_0":1}},"text":"target down"},"#
      + #""status":{"firing":{"since":[0,4000000000000000000]}},"subject":"http://a"}"#
    var expected = Alert(rule: try AlertRule("target down"), subject: "http://a")
    expected.status = .firing(since: .seconds(4))
    #expect(try JSONDecoder().decode(Alert.self, from: Data(alert.utf8)) == expected)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    #expect(String(decoding: try encoder.encode(expected), as: UTF8.self) == alert)
    let failure = #"{"description":"status 404","isLasting":true,"mayHaveArrived":false,"status":404}"#
    #expect(try JSONDecoder().decode(GatewayFailure.self, from: Data(failure.utf8)) == .status(404))
    let json = try Self.json()
    for key in ["certificate", "successes", "recovery", "reminde"] { #expect(!json.contains(key)) }
  }

  @Test("The values of certificates, recoveries and reminders come back, and impossible ones are refused")
  func later() throws {
    let rule = "target certificate expires within 14 d until 3 successes remind every 1 h"
    var state = PulseState(rules: [try AlertRule(rule)], webhooks: [.chat])
    for (second, days) in [(1, 1.0), (3_601, 1), (3_602, 90)] {
      state.apply(.certificateRead(.guarded, .expires(after: .days(days)), at: .seconds(second)))
    }
    let data = try JSONEncoder().encode(state)
    #expect(try JSONDecoder().decode(PulseState.self, from: data) == state)
    let json = String(decoding: data, as: UTF8.self)
    for (part, replacement) in [
      (#""successes":1"#, #""successes":-1"#), (#""recovery":3"#, #""recovery":-3"#),
      (#""reminder":[195,"#, #""reminder":[-195,"#), (#""reminded":[195,"#, #""reminded":[-195,"#),
      (#""certificateRead":[195,"#, #""certificateRead":[-195,"#),
      (#""expiresWithin":[65572,"#, #""expiresWithin":[-65572,"#),
    ] {
      let found = try #require(json.range(of: part), "\(part) is not in \(json)")
      let changed = Data(json.replacingCharacters(in: found, with: replacement).utf8)
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(PulseState.self, from: changed) }
    }
  }

  @Test("The largest count stays what it is, and what ends twice is counted as ended once")
  func saturates() {
    #expect(Int.max.incremented == .max && 1.incremented == 2)
    var receiver = Receiver(webhook: .chat)
    receiver.note(.fake(1))
    receiver.begin(.fake(1), idempotencyKey: "")
    receiver.deliver(.fake(1))
    receiver.fail(.fake(1), "cut", mayHaveArrived: true)
    #expect(receiver.words == "1 delivered")
  }

  private static let state: PulseState = {
    let name = Alert.Name(rule: "target down", subject: Endpoint.database.name)
    let change = AlertChange(number: 1, alert: name, isFiring: true, value: 0, reason: "no")
    var state = PulseState(
      rules: [try! AlertRule("target down"), try! AlertRule("target slower than 1 ms for 2 probes")], webhooks: [.chat],
      historyLimit: 2)
    for mutation: PulseMutation in [
      .read(.fake(), at: .zero), .probed(.database, .down(reason: "no"), at: .zero),
      .notifying(.chat, Notice(change: change, time: Notice.fake(1).time)),
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
