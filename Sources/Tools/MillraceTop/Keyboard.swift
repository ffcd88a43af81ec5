import Foundation
import Millrace
import MillraceTerminal

/// A key that a person presses.
package enum Key: Sendable, Equatable {
  case letter(Character)
  case enter
  case escape
  case backspace

  /// The keys of what a terminal sends at once.
  ///
  /// A terminal sends a key without a letter, such as an arrow, as an escape sequence, which is none of these.
  static func keys(_ bytes: [UInt8]) -> [Key] {
    if bytes.first == 0x1B { return bytes.count == 1 ? [.escape] : [] }
    return String(decoding: bytes, as: UTF8.self).compactMap { character in
      switch character {
      case "\r", "\n", "\r\n": .enter
      case "\u{8}", "\u{7F}": .backspace
      default:
        character.unicodeScalars.contains { $0.properties.generalCategory == .control } ? nil : .letter(character)
      }
    }
  }
}

/// The keys of a terminal, each as soon as it is pressed and without an echo; signals of the terminal stay what they are.
final class Keyboard: Sendable {
  private let descriptor: Int32
  private let modes: termios
  /// Whether the terminal has its modes back, and keeps them.
  private let isGivenBack = Lock(false)

  /// Takes the keys; nil where the descriptor is no terminal.
  init?(descriptor: Int32) {
    var modes = termios()
    guard tcgetattr(descriptor, &modes) == 0 else { return nil }
    (self.descriptor, self.modes) = (descriptor, modes)
    takeKeys()
  }

  /// Takes the keys again, which a shell may have given back while the process was stopped; has no effect once the terminal has its modes back.
  func takeKeys() {
    isGivenBack.withLock { isGivenBack in
      if isGivenBack { return }
      var changed = modes
      changed.c_lflag &= ~tcflag_t(ICANON | ECHO)
      tcsetattr(descriptor, TCSANOW, &changed)
    }
  }

  /// Sets the terminal back to its modes before, until ``resume()``.
  ///
  /// A table that is drawn meanwhile, on another thread, does not take the keys.
  func close() {
    isGivenBack.withLock { isGivenBack in
      isGivenBack = true
      var modes = modes
      tcsetattr(descriptor, TCSANOW, &modes)
    }
  }

  /// Allows that keys are taken again, because the process continues.
  func resume() { isGivenBack.withLock { $0 = false } }

  /// The keys, until the terminal is closed; read on a thread of its own.
  var keys: AsyncStream<Key> {
    let (keys, pressed) = AsyncStream.makeStream(of: Key.self)
    let descriptor = descriptor
    Thread.detachNewThread {
      var bytes = [UInt8](repeating: 0, count: 256)
      while true {
        let count = read(descriptor, &bytes, bytes.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        for key in Key.keys(Array(bytes.prefix(count))) { pressed.yield(key) }
      }
      pressed.finish()
    }
    return keys
  }
}
