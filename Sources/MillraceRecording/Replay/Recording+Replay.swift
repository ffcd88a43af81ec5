public import Foundation
public import Millrace

extension Recording {
  /// Reduces all mutations again, and compares the states with the recorded ones, up to the first that differs.
  ///
  /// So a reducer that was changed is found out before it ships: replay what was recorded in production with it. Nothing but the
  /// reducer is called.
  ///
  /// - Parameters:
  ///   - interactor: the type whose reducer is tried.
  ///   - redaction: applied to each state before it is compared, if the recording was redacted with it.
  /// - Throws: ``RecordingError`` when commits are out of order; what the state throws when it is encoded.
  @inlinable
  public func replay<I: Interactor>(
    with interactor: I.Type, redaction: Redaction<Action, Mutation, State>? = nil
  ) throws -> ReplayReport<State> where I.Action == Action, I.Mutation == Mutation, I.State == State {
    var fold = ReplayFold<I>(header, start, redaction)
    for entry in entries where try !fold.take(entry) { break }
    return fold.end(cut: cut)
  }

  /// Replays a file as ``replay(with:redaction:)`` does, with a flat memory however long it is.
  ///
  /// - Parameters:
  ///   - url: the file.
  ///   - interactor: the type whose reducer is tried.
  ///   - redaction: applied to each state before it is compared, if the recording was redacted with it.
  ///   - acceptsCutEnd: whether a file that a crash has cut in its last line is replayed up to there; the report says so then.
  ///   - progress: told how many bytes of the file were read so far, each 256 KiB and at the end.
  /// - Throws: ``RecordingError`` when the file cannot be read, is no recording of these types, or has a broken line; what the
  ///   state throws when it is encoded.
  @inlinable
  public static func replay<I: Interactor>(
    contentsOf url: URL, with interactor: I.Type, redaction: Redaction<Action, Mutation, State>? = nil,
    acceptsCutEnd: Bool = false, progress: @escaping (_ bytes: Int) -> Void = { _ in }
  ) throws -> ReplayReport<State> where I.Action == Action, I.Mutation == Mutation, I.State == State {
    var reader = try RecordingReader<Action, Mutation, State>(url, acceptsCutEnd: acceptsCutEnd, progress: progress)
    var fold = ReplayFold<I>(reader.header, reader.start, redaction)
    while let entry = try reader.next() {
      guard try fold.take(entry) else { break }
    }
    return fold.end(cut: reader.cut)
  }
}
