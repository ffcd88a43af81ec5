extension Flag {
  /// Declares a flag whose value is the port of an inspector; read it with ``ParsedFlags/inspectorPort(_:product:)``.
  package static func inspectorPort(_ name: String) -> Flag {
    .integer(
      name, "PORT", in: 0...65_535, example: "8080",
      help: "serve health, metrics and runs at PORT of 127.0.0.1, any free one for 0 (needs the trait Inspector)")
  }
}

extension ParsedFlags {
  /// The port of an inspector; nil without the flag.
  ///
  /// - Parameters:
  ///   - name: the flag.
  ///   - product: the product that the sentence shows how to build.
  /// - Throws: `FlagError` in a program that was built without the trait `Inspector`.
  package func inspectorPort(_ name: String, product: String) throws(FlagError) -> Int? {
    guard let port = integer(name) else { return nil }
    #if Inspector
      return port
    #else
      throw FlagError(
        "\(name) was given '\(port)', but this program was built without an inspector; install libmicrohttpd-dev and build it "
          + "with the trait Inspector of millrace, as 'swift build -c release --traits Inspector --product \(product)' does."
      )
    #endif
  }
}
