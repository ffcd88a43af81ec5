import Foundation

/// Damages a recording: numbers, words, bytes and lines.
struct RecordingMutator {
  private let bytes: [UInt8]
  /// The places of the numbers in it.
  private let numbers: [Range<Int>]

  private static let values = [
    "0", "1", "2", "-1", "0.5", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
    "18446744073709551615", "2305843009213693951", "2305843009213693952", "1e300", "1e308", "-1e308", "1e-308", "1e400",
    "\"nan\"", "\"inf\"", "null", "true", "\"\"", "[]", "{}", "[[[[[[[[", "\"\\ud800\"",
  ].map { Array($0.utf8) }

  /// - Parameter keepsHashes: whether states keep the hashes by which a damaged one is noticed.
  init(_ recording: Data, keepsHashes: Bool) {
    let text = String(decoding: recording, as: UTF8.self)
    bytes = Array((keepsHashes ? text : text.replacing(#/"hash":"[0-9a-f]+",/#, with: "")).utf8)
    var numbers: [Range<Int>] = []
    var start: Int?
    for (index, byte) in bytes.enumerated() {
      if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
        start = start ?? index
      } else if let begin = start {
        numbers.append(begin..<index)
        start = nil
      }
    }
    self.numbers = numbers
  }

  /// The recording with up to two other numbers and up to two other damages, one at least.
  func mutated(_ random: inout some RandomNumberGenerator) -> Data {
    var bytes = bytes
    let changes = Int.random(in: 0...2, using: &random)
    // From the end to the beginning, so that the places stay what they are.
    for place in numbers.shuffled(count: changes, using: &random).sorted(by: { $0.lowerBound > $1.lowerBound }) {
      bytes.replaceSubrange(place, with: Self.values.randomElement(using: &random)!)
    }
    for _ in 0..<Int.random(in: (changes == 0 ? 1 : 0)...2, using: &random) { Self.damage(&bytes, &random) }
    return Data(bytes)
  }

  private static func damage(_ bytes: inout [UInt8], _ random: inout some RandomNumberGenerator) {
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: bytes.indices, using: &random)
    let end = min(bytes.count, place + Int.random(in: 1...40, using: &random))
    switch Int.random(in: 0...8, using: &random) {
    case 0: bytes[place] = .random(in: .min ... .max, using: &random)
    case 1: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
    case 2: bytes.removeSubrange(place..<end)
    case 3: bytes.insert(contentsOf: values.randomElement(using: &random)!, at: place)
    case 4: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: bytes.indices, using: &random))
    case 5: bytes.removeSubrange(place...)
    default: damageLines(&bytes, &random)
    }
  }

  private static func damageLines(_ bytes: inout [UInt8], _ random: inout some RandomNumberGenerator) {
    var lines = bytes.split(separator: UInt8(ascii: "\n"))
    guard let one = lines.indices.randomElement(using: &random) else { return }
    switch Int.random(in: 0...2, using: &random) {
    case 0: lines.remove(at: one)
    case 1: lines.insert(lines[one], at: lines.indices.randomElement(using: &random)!)
    default: lines.swapAt(one, lines.indices.randomElement(using: &random)!)
    }
    bytes = Array(lines.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")]
  }
}

extension Array {
  /// Some elements, each at most once.
  fileprivate func shuffled(count: Int, using random: inout some RandomNumberGenerator) -> [Element] {
    var places: Set<Int> = []
    for _ in 0..<count { places.insert(.random(in: indices, using: &random)) }
    return places.sorted().map { self[$0] }
  }
}
