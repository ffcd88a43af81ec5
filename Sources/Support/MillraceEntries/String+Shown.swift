extension String {
  /// The text, or its first characters and an ellipsis if there are more than `limit`.
  package func shortened(to limit: Int) -> String {
    let end = unicodeScalars.index(startIndex, offsetBy: limit, limitedBy: endIndex) ?? endIndex
    return end == endIndex ? self : String(unicodeScalars[..<end]) + "…"
  }

  /// The path of a file between single quotes, as it can be shown on one line.
  package var quoted: String { "'\(shown())'" }

  /// The text as it can be shown: what would steer a terminal, or turn the order of the letters, is written as `\u{1B}`.
  ///
  /// - Parameter keepsLines: whether line breaks stay.
  package func shown(keepsLines: Bool = false) -> String {
    func isShown(_ scalar: Unicode.Scalar) -> Bool { !scalar.steers || keepsLines && scalar == "\n" }
    if unicodeScalars.allSatisfy(isShown) { return self }
    var text = ""
    for scalar in unicodeScalars {
      if isShown(scalar) {
        text.unicodeScalars.append(scalar)
      } else {
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  /// Whether it is no letter, but does something to those that are.
  fileprivate var steers: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: properties.isBidiControl
    }
  }
}
