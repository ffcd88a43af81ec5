package import Foundation

/// Damages recordings at random: their numbers, bytes and lines.
package struct RecordingMutator: Sendable {
  private let bytes: [UInt8]

  /// The places of the numbers, in order.
  private let numbers: [Range<Int>]

  /// JSON that takes the place of a number, or stands where nothing is expected; some of it is broken.
  private static let values = [
    "0", "1", "2", "-1", "0.5", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
    "18446744073709551615", "2305843009213693951", "2305843009213693952", "4611686018427387904", "1e300", "1e308",
    "-1e308", "1e-308", "1e400", "\"nan\"", "\"inf\"", "null", "true", "\"\"", "[]", "{}", "[[[[[[[[", "\"\\ud800\"",
    String(repeating: "[", count: 400) + String(repeating: "]", count: 400), "{\"a\":{\"a\":{\"a\":[{}]}}}",
  ].map { Array($0.utf8) }

  /// Makes the mutator of a recording.
  ///
  /// - Parameters:
  ///   - recording: the lines of the file.
  ///   - keepsHashes: false removes the hashes, by which a reader notices most damage of states.
  package init(_ recording: Data, keepsHashes: Bool) {
    let text = String(decoding: recording, as: UTF8.self)
    bytes = Array((keepsHashes ? text : text.replacing(#/"hash":"[0-9a-f]+",/#, with: "")).utf8)
    var numbers: [Range<Int>] = []
    for (index, byte) in bytes.enumerated() where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
      if let last = numbers.last, last.upperBound == index {
        numbers[numbers.count - 1] = last.lowerBound..<index + 1
      } else {
        numbers.append(index..<index + 1)
      }
    }
    self.numbers = numbers
  }

  /// The recording with up to two other numbers and up to two other damages, at least one in all.
  package func mutated(_ random: inout some RandomNumberGenerator) -> Data {
    var bytes = bytes
    let places = Set(
      (0..<Int.random(in: 0...2, using: &random)).map { _ in Int.random(in: numbers.indices, using: &random) })
    // From the end to the beginning, so that the earlier places stay valid.
    for place in places.sorted(by: >) {
      bytes.replaceSubrange(numbers[place], with: Self.values.randomElement(using: &random)!)
    }
    for _ in 0..<Int.random(in: (places.isEmpty ? 1 : 0)...2, using: &random) { Self.damage(&bytes, &random) }
    return Data(bytes)
  }

  private static func damage(_ bytes: inout [UInt8], _ random: inout some RandomNumberGenerator) {
    guard let place = bytes.indices.randomElement(using: &random) else { return }
    let end = min(bytes.count, place + Int.random(in: 1...40, using: &random))
    switch Int.random(in: 0...8, using: &random) {
    case 0: bytes[place] = .random(in: .min ... .max, using: &random)
    case 1: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
    case 2: bytes.removeSubrange(place..<end)
    case 3: bytes.insert(contentsOf: values.randomElement(using: &random)!, at: place)
    case 4: bytes.insert(contentsOf: bytes[place..<end], at: bytes.indices.randomElement(using: &random)!)
    case 5: bytes.removeSubrange(place...)
    default: damageLines(of: &bytes, &random)
    }
  }

  private static func damageLines(of bytes: inout [UInt8], _ random: inout some RandomNumberGenerator) {
    var lines = bytes.split(separator: UInt8(ascii: "\n"))
    guard let one = lines.indices.randomElement(using: &random), let other = lines.indices.randomElement(using: &random)
    else { return }
    switch Int.random(in: 0...2, using: &random) {
    case 0: lines.remove(at: one)
    case 1: lines.insert(lines[one], at: other)
    default: lines.swapAt(one, other)
    }
    bytes = Array(lines.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")]
  }
}
