package import Foundation

/// A request that a client writes as a line, behind which its body follows.
package protocol LineRequest: Sendable {
  /// Reads a line.
  ///
  /// - Parameter largest: the most bytes that a body may have.
  /// - Throws: ``InvalidRequest``.
  init(_ line: String, largest: Int) throws(InvalidRequest)

  /// The length of the body in bytes, not above `largest`.
  var length: Int { get }
}

/// The answer to a request: a word and a length on one line, then as many bytes.
package struct LineAnswer: Sendable, Equatable {
  /// The word, by which a client knows how its request ended; a program adds words of its own.
  package struct Word: Sendable, Equatable {
    package let text: String

    package init(_ text: String) {
      self.text = text
    }

    /// The bytes are the answer.
    package static let ok = Word("OK")
    /// The request or the client was refused for now.
    package static let busy = Word("BUSY")
    /// The line is no request, or did not become complete; the connection is closed.
    package static let invalid = Word("INVALID")
  }

  package let word: Word
  package let body: Data

  package init(_ word: Word, _ body: Data = Data()) {
    self.word = word
    self.body = body
  }

  /// Creates an answer of a sentence.
  package init(_ word: Word, _ sentence: String) {
    self.init(word, Data((sentence + "\n").utf8))
  }

  /// The bytes that are sent.
  package var bytes: Data { Data("\(word.text) \(body.count)\n".utf8) + body }
}

/// The reason why a line is no request, as a sentence for the client.
package struct InvalidRequest: Error, Equatable {
  package let sentence: String

  package init(_ sentence: String) {
    self.sentence = sentence
  }
}

/// The bounds of a server.
package struct LineBounds: Sendable {
  /// The most connections that are served at the same time.
  ///
  /// A further client takes the place of the one that has been idle the longest. It is refused where all are busy.
  package var connections: Int
  /// The number below which the descriptors of connections are; a connection with another one is closed at once.
  package var descriptors: Int
  /// The longest that a connection stays open between two requests.
  package var idle: Duration
  /// The longest that a client may take for a line, for a body and for an answer.
  package var patience: Duration
  /// The most bytes that a body may have.
  package var largest: Int

  package init(
    connections: Int = 256, descriptors: Int = .max, idle: Duration = .seconds(60), patience: Duration = .seconds(10),
    largest: Int = 1 << 20
  ) {
    self.connections = connections
    self.descriptors = descriptors
    self.idle = idle
    self.patience = patience
    self.largest = largest
  }
}
