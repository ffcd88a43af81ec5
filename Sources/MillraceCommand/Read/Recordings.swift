import Foundation
import MillraceRecording
import MillraceReport

/// What reads recordings: with the types of a service, or without.
protocol Recordings {
  associatedtype Action: Codable & Sendable
  associatedtype Mutation: Codable & Sendable
  associatedtype State: Codable & Sendable

  /// What the commands are for, in a sentence.
  static var summary: String { get }

  /// What `replay` does, in a sentence.
  static var replaySummary: String { get }

  /// False if a replay has to be refused.
  static var canReplay: Bool { get }

  /// Reduces the mutations again, and tells whether the states are the recorded ones.
  func replay(_ file: RecordingFile) throws -> (text: String, verdict: ReplayVerdict)

  /// How values become texts.
  var texts: RecordingTexts<Action, Mutation, State> { get }

  /// What the reader of a page has to know beyond the facts.
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

  /// What a recording is of, and how much is in it.
  func facts(of file: RecordingFile) throws -> RecordingPage.Facts {
    var events = try EventReader(file, texts)
    var facts = events.facts(name: file.url.lastPathComponent)
    var summary = RecordingSummary()
    while let event = try events.next(showsAction: false, showsCommit: false) { summary.take(event) }
    facts.lines += summary.lines
    facts.notes += [events.cut].compactMap(\.self)
    return facts
  }
}
