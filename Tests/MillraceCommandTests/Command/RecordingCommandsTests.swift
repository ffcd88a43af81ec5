import Foundation
import Testing

/// The commands as processes of their own: that of a service, and the one without types.
@Suite("Commands about recordings", .timeLimit(.minutes(2)))
struct RecordingCommandsTests {
  let folder: Folder

  init() throws {
    folder = try Folder()
  }

  private func shelf(_ arguments: String...) async throws -> FinishedCommand {
    try await FinishedCommand("MillraceShelf", arguments, in: folder)
  }

  private func millrace(_ arguments: String...) async throws -> FinishedCommand {
    try await FinishedCommand("millrace", arguments, in: folder)
  }

  // MARK: replay

  @Test("A replay that leads to the recorded states ends with 0")
  func same() async throws {
    try folder.write(ShelfLines.all)
    let end = try await shelf("replay", "shelf.jsonl")
    #expect(end.errors == "")
    #expect(
      end.output == """
        Replayed 2 commits up to revision 2; 1 recorded state is the same. 1 commit behind gaps could not be replayed.

        """)
    #expect(end.code == 0)
  }

  @Test("A replay that leads to another state says where and in what, and ends with 1")
  func different() async throws {
    try folder.write(ShelfLines.otherPages)
    let end = try await shelf("replay", "shelf.jsonl")
    #expect(end.errors == "")
    #expect(
      end.output == """
        At revision 2 the state differs from what was recorded; at revision 0 it was the same. A mutation of 1 to 2 is \
        reduced otherwise than when it was recorded. Recorded → replayed:
          pages: 404 → 403

        """)
    #expect(end.code == 1)
  }

  @Test("A replay with nothing to compare with proves nothing, and ends with 65")
  func nothingCompared() async throws {
    try folder.write(Array(ShelfLines.all.prefix(4)))
    let end = try await shelf("replay", "shelf.jsonl")
    #expect(
      end.errors == """
        Replayed 1 commit up to revision 1, but nothing was compared and nothing is proven: no state is recorded behind it. End \
        a recorder with finish(with: store.snapshot), or give it a smaller checkpoint.

        """)
    #expect(end.output == "")
    #expect(end.code == 65)
  }

  @Test("A recording written in a store is replayed")
  func recorded() async throws {
    await ShelfLines.record(1_000, to: folder.file("shelf.jsonl"))
    let end = try await shelf("replay", "shelf.jsonl")
    #expect(end.output == "Replayed 1003 commits up to revision 1003; 3 recorded states are the same.\n")
    #expect(end.code == 0)
  }

  @Test("The command without types says how a service replays, and ends with 64")
  func untypedReplay() async throws {
    let end = try await millrace("replay", "shop.jsonl")
    #expect(
      end.errors == """
        millrace replay needs the reducer of the service, which no other program has; give the service a command of its own, \
        and run that with replay 'shop.jsonl'. These three lines are all of it, with the module and the interactor of the \
        service:

          import MillraceCommand
          import Shop
          MillraceCommand.main(Shop.self)

        """)
    #expect(end.output == "")
    #expect(end.code == 64)
  }

  // MARK: Files that cannot be read

  @Test("A file that is not there ends each command with 66", arguments: ["replay", "report", "info"])
  func noFile(command: String) async throws {
    let end = try await shelf(command, "nothing.jsonl")
    #expect(
      end.errors.hasSuffix("nothing.jsonl' cannot be read: No such file or directory; give the path of a recording.\n"))
    #expect(end.output == "")
    #expect(end.code == 66)
  }

  @Test("A broken file ends each command with 65 and the number of the line", arguments: ["replay", "report", "info"])
  func brokenFile(command: String) async throws {
    var lines = ShelfLines.all
    lines[2] = #"{"kind":"commit","at":0}"#
    try folder.write(lines)
    let end = try await shelf(command, "shelf.jsonl")
    #expect(
      end.errors == """
        Line 3 cannot be read: "revision" is missing. The line was damaged; take the file as the recorder wrote it.

        """)
    #expect(end.output == "")
    #expect(end.code == 65)
  }

  @Test(
    "The command without types says of a broken line that it was damaged, for there are no types to blame",
    arguments: [
      (2, ##"{"kind":"commit","at":0,"revision":1,"run":"#4@1"}"##, "\"mutation\" is missing"),
      (0, #"{"millraceRecording":1,"redacted":false,"at":0,"revision":0,"state":{}}"#, "\"actionType\" is missing"),
    ])
  func untypedBrokenFile(index: Int, line: String, reason: String) async throws {
    var lines = ShelfLines.all
    lines[index] = line
    try folder.write(lines)
    for command in ["info", "report"] {
      let end = try await millrace(command, "shelf.jsonl")
      #expect(
        end.errors == """
          Line \(index + 1) cannot be read: \(reason). The line was damaged; take the file as the recorder wrote it.

          """)
      #expect(end.output == "")
      #expect(end.code == 65)
    }
  }

  @Test("A file that is no recording, or a newer one, ends with 65")
  func otherFiles() async throws {
    try folder.write(["Dear diary,"], to: "diary.txt")
    let diary = try await millrace("info", "diary.txt")
    #expect(
      diary.errors
        == "Line 1 is no header of a recording; give a file that a FileRecorder wrote, from its first line on.\n")
    #expect(diary.code == 65)
    try folder.write([#"{"millraceRecording":4}"#], to: "newer.jsonl")
    let newer = try await millrace("report", "newer.jsonl")
    #expect(newer.errors.hasPrefix("Line 1 says that the recording has version 4 of the format"))
    #expect(newer.code == 65)
  }

  @Test(
    "A cut end is refused with the flag that accepts it, and with that flag is told", arguments: ["replay", "info"])
  func cutEnd(command: String) async throws {
    let whole = ShelfLines.all.prefix(9).map { $0 + "\n" }.joined()
    try whole.dropLast(9).write(to: folder.file("shelf.jsonl"), atomically: true, encoding: .utf8)
    let refused = try await shelf(command, "shelf.jsonl")
    #expect(
      refused.errors == """
        Line 9, the last one, is cut in the middle, by a crash or because it is still being written; add --accept-cut-end to \
        read what stands before it.

        """)
    #expect(refused.code == 65)
    let accepted = try await shelf(command, "shelf.jsonl", "--accept-cut-end")
    #expect(accepted.errors == "")
    let told =
      command == "replay"
      ? "The recording is cut in line 9.\n" : "Line 9, the last one, is cut in the middle and left out.\n"
    #expect(accepted.output.hasSuffix(told))
    #expect(accepted.code == 0)
  }

  @Test("Standard output that cannot be written to ends with 74", arguments: ["replay", "report", "info"])
  func fullOutput(command: String) async throws {
    try folder.write(ShelfLines.all)
    let end = try await FinishedCommand(
      "MillraceShelf", [command, "shelf.jsonl"], in: folder, output: URL(filePath: "/dev/full"))
    #expect(
      end.errors
        == "Standard output cannot be written to: No space left on device; give it a place that can be written to.\n")
    #expect(end.code == 74)
  }

  // MARK: info and report

  @Test("info tells what a recording is of and how much is in it, the same with and without types")
  func info() async throws {
    try folder.write(ShelfLines.all)
    for end in [try await shelf("info", "shelf.jsonl"), try await millrace("info", "shelf.jsonl")] {
      #expect(
        end.output == """
          Format     version 3
          Action     MillraceShelf.Shelf.Action
          Mutation   MillraceShelf.Shelf.Mutation
          State      MillraceShelf.Shelf.State
          Began      2026-11-25T16:44:38.120Z
          Begins at  revision 0
          Redacted   no
          Time       5 µs
          Actions    4, of them 1 rejected before they were accepted
          Outcomes   finished 2, failed 1, rejected 1
          Calls      1
          Retries    1
          Steps      2, of them 1 failed
          Commits    3, up to revision 9
          States     1 behind the one at the beginning
          Gaps       1, with 3 entries that are known to be missing

          """)
      #expect(end.code == 0)
    }
  }

  @Test("A blank last line and the mark of UTF-8 change nothing, with and without types")
  func savedByAnEditor() async throws {
    try folder.write(ShelfLines.all)
    let text = try String(contentsOf: folder.file("shelf.jsonl"), encoding: .utf8)
    try Data("\u{FEFF}\(text) \r\n".utf8).write(to: folder.file("saved.jsonl"))
    #expect(try await shelf("replay", "saved.jsonl").output == shelf("replay", "shelf.jsonl").output)
    let saved = try await millrace("info", "saved.jsonl")
    #expect(saved.code == 0)
    #expect(saved.output == (try await millrace("info", "shelf.jsonl").output))
  }

  @Test("With types a page shows what each commit changed, but behind a gap")
  func report() async throws {
    try folder.write(ShelfLines.all)
    let page = try await shelf("report", "shelf.jsonl")
    #expect(page.errors == "")
    #expect(page.code == 0)
    #expect(page.output.contains("<pre>books[0]: added &quot;&lt;Emma&gt;&quot;\npages: 0 → 400</pre>"))
    #expect(page.output.contains("<pre>books[1]: added &quot;One&quot;\npages: 400 → 403</pre>"))
    #expect(page.output.contains("<td>#20@1</td><td><code>cleared</code></td><td></td>"))
    #expect(!page.output.contains("data-row=\"state\""))
  }

  @Test("A page shows when the recording began, the results of steps and the error that an action ended with")
  func stepsAndErrors() async throws {
    try folder.write(ShelfLines.all)
    for page in [try await shelf("report", "shelf.jsonl"), try await millrace("report", "shelf.jsonl")] {
      #expect(page.output.contains("<dt>Began</dt><dd>2026-11-25T16:44:38.120Z</dd>"))
      #expect(page.output.contains("failed<br><span class=\"faint\">the shelf is &lt;full&gt;</span></td>"))
      #expect(
        page.output.contains(
          """
          the step <code>order</code> returned</td>\
          <td><code>{&quot;copies&quot;:&quot;&lt;2&gt;&quot;}</code></td>
          """))
      #expect(
        page.output.contains(
          "the step <code>ship</code> failed</td><td><code>&quot;no &lt;van&gt;&quot;</code></td>"))
    }
  }

  @Test("A recorded state that is not what its mutations lead to has a row of its own")
  func otherState() async throws {
    try folder.write(ShelfLines.otherPages)
    let page = try await shelf("report", "shelf.jsonl")
    #expect(page.output.contains("the state was recorded</td><td><pre>pages: 403 → 404</pre>"))
  }

  @Test("A page has the text of each action and of each mutation")
  func texts() async throws {
    try folder.write(ShelfLines.all)
    let page = try await shelf("report", "shelf.jsonl")
    // The book is put by an action, and by the mutation of that name.
    #expect(page.output.ranges(of: "<code>put(&quot;&lt;Emma&gt;&quot;, pages: 400)</code>").count == 2)
    #expect(page.output.ranges(of: "<code>putSeries([&quot;One&quot;])</code>").count == 1)
  }

  @Test("Without types a page shows what differs between recorded states, and says so")
  func untypedReport() async throws {
    try folder.write(ShelfLines.all)
    let page = try await millrace("report", "shelf.jsonl")
    #expect(page.code == 0)
    #expect(
      page.output.contains(
        "<code>{&quot;put&quot;:{&quot;_0&quot;:&quot;&lt;Emma&gt;&quot;,&quot;pages&quot;:400}}</code>"))
    #expect(
      page.output.contains(
        """
        <pre>[&quot;books&quot;][0]: added &quot;&lt;Emma&gt;&quot;
        [&quot;books&quot;][1]: added &quot;One&quot;
        [&quot;pages&quot;]: 0 → 403</pre>
        """))
    #expect(page.output.contains("Without the types of the service only the recorded states are compared"))
    #expect(page.output.contains("<code>putSeries</code>"))
  }

  @Test("--rows says how much is shown")
  func rows() async throws {
    await ShelfLines.record(50, to: folder.file("shelf.jsonl"))
    let page = try await shelf("report", "--rows=20", "shelf.jsonl")
    #expect(page.output.ranges(of: "data-row=\"commit\"").count == 20)
    #expect(page.output.contains("Shown are the first 20 of 53 commits; give --rows 53 to show all."))
    #expect(page.output.contains("Shown are the first 20 of 54 actions; give --rows 54 to show all."))
  }

  // MARK: The command line

  @Test(
    "A wrong command line is one sentence on standard error, and ends with 64",
    arguments: [
      ([], "MillraceShelf needs a command, but was given none; see MillraceShelf --help for those it has."),
      (["repaly", "x"], "MillraceShelf has no command 'repaly'; did you mean replay?"),
      (
        ["replay"],
        "MillraceShelf replay needs a FILE, but was given none; write for example MillraceShelf replay shop.jsonl."
      ),
      (["info", "a", "b"], "MillraceShelf info takes one FILE, but was given 'b' too; leave one of the two out."),
      (
        ["report", "a", "--rows", "0"],
        "--rows needs a whole number of at least 1, but was given '0'; write for example --rows 5000."
      ),
    ])
  func wrongCommandLine(arguments: [String], sentence: String) async throws {
    let end = try await FinishedCommand("MillraceShelf", arguments, in: folder)
    #expect(end.errors == sentence + "\n")
    #expect(end.output == "")
    #expect(end.code == 64)
  }

  @Test("--help tells the commands, and behind a command its flags")
  func help() async throws {
    let all = try await shelf("--help")
    #expect(
      all.output == """
        Replays the recordings of Shelf, and reports about them.

        Usage: MillraceShelf COMMAND ...

          replay FILE  Reduces all mutations of a recording again, and compares the
                       states.
          report FILE  Writes a page of HTML about a recording to standard output.
          info FILE    Tells what a recording is of, and how much is in it.
          journal      Looks into a journal's file: keys, entries, open runs, damage.
          --help       print this text; behind a command, the one of the command
          --version    print the version

        Exit codes:
          0   it is done; a replay has led to the recorded states
          1   a replay has led to another state
          64  the command line is wrong
          65  the file is broken, is no recording of these types, or has no state that a
              replay could compare
          66  the file cannot be opened
          70  a state cannot be encoded
          74  standard output cannot be written to

        """)
    #expect(all.code == 0)
    let one = try await millrace("replay", "--help")
    #expect(
      one.output == """
        Says how a service replays its own recordings, for that needs its reducer.

        Usage: millrace replay FILE [--accept-cut-end] [--help] [--version]

          --accept-cut-end  read a file that a crash has cut in its last line up to
                            there
          --help            print this text
          --version         print the version

        FILE is a recording; - reads standard input.

        """)
    #expect(one.code == 0)
    #expect(try await millrace("--version").output.hasPrefix("millrace 0."))
  }

  // MARK: Standard input

  @Test("A hyphen is standard input, which is a file or a pipe", arguments: ["<", "cat"])
  func standardInput(source: String) async throws {
    try folder.write(ShelfLines.all)
    let products = FinishedCommand.products
    for (command, part) in [
      ("\(products.path)/MillraceShelf replay -", "Replayed 2 commits"), ("\(products.path)/millrace info -", "Format"),
      ("\(products.path)/millrace report -", "stdin"),
    ] {
      let line = source == "<" ? "\(command) < shelf.jsonl" : "cat shelf.jsonl | \(command)"
      let end = try await FinishedCommand("/bin/sh", ["-c", line], in: folder)
      #expect(end.errors == "" && end.output.contains(part))
      #expect(end.code == 0)
    }
  }
}
