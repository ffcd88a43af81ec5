import Foundation
import Millrace
import MillraceRecording
import MillraceReport

/// The answer to a request for a replay.
enum ReplayAnswer {
  /// The report of a replay, and its verdict.
  case replayed(String, ReplayVerdict)

  /// The reason for which no recording can be replayed, with the fix.
  case refused(CommandFailure)
}

/// Reads recordings with the types of a service, or without types.
protocol Recordings {
  associatedtype I: Interactor where I.Action: Codable, I.Mutation: Codable, I.State: Codable

  /// The purpose of the commands, in a sentence.
  static var summary: String { get }

  /// The effect of `replay`, in a sentence.
  static var replaySummary: String { get }

  /// Reduces the mutations again and compares the states with the recorded ones, or refuses to.
  ///
  /// A refusal is a value and no error: in release builds Swift 6.3 makes of a caller that returns `Never`, specialised for an
  /// implementation that only throws, code that jumps to a wrong address.
  func replay(_ file: RecordingFile) throws -> ReplayAnswer

  /// Creates texts of values.
  var texts: RecordingTexts<I> { get }

  /// A remark for the reader of a page, beyond the facts.
  var note: String? { get }
}

extension Recordings {
  /// A page about a recording.
  func page(of file: RecordingFile, rows: Int) throws -> RecordingPage {
    var events = try EventReader(file, texts)
    var page = RecordingPage(events.facts(name: file.url.lastPathComponent), rows: rows)
    while let event = try events.next(showsAction: page.showsNextAction, showsCommit: page.showsNextCommit) {
      page.take(event)
    }
    page.facts.notes += [note, events.cut].compactMap(\.self)
    return page
  }

  /// The facts about a recording, and its size.
  func facts(of file: RecordingFile) throws -> RecordingPage.Facts {
    // No count needs a name, for which the action would have to be read.
    var texts = texts
    texts.name = { _ in "" }
    var events = try EventReader(file, texts)
    var facts = events.facts(name: file.url.lastPathComponent)
    var summary = RecordingSummary()
    while let event = try events.next(showsAction: false, showsCommit: false) { summary.take(event) }
    facts.lines += summary.lines
    facts.notes += [events.cut].compactMap(\.self)
    return facts
  }
}
