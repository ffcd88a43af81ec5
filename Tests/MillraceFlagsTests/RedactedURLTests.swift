import MillraceFlags
import Testing

@Suite("RedactedURL")
struct RedactedURLTests {
  @Test(
    "A URL is shown without user, password, query and fragment, and up to its host without its path",
    arguments: [
      ("http://a", "http://a", "http://a"),
      ("http://a:80/b/c", "http://a:80/b/c", "http://a:80/…"),
      ("https://user:secret@a/b?key=secret#secret", "https://…@a/b?…", "https://…@a/…"),
      ("https://secret@a", "https://…@a", "https://…@a"),
      ("http://a?secret", "http://a?…", "http://a/…"),
      ("http://a/b#secret?secret", "http://a/b", "http://a/…"),
      ("http://a/@scope/b", "http://a/@scope/b", "http://a/…"),
      ("http://user:se@cret@[::1]:8/b", "http://…@[::1]:8/b", "http://…@[::1]:8/…"),
      ("", "", ""),
    ])
  func url(url: String, shown: String, host: String) {
    #expect(RedactedURL.url(url) == shown)
    #expect(RedactedURL.url(url, upTo: .host) == host)
  }

  @Test(
    "Of a text that was to be a URL all that may be a password is left out",
    arguments: [
      ("localhost:80/b", "localhost:80/b", "localhost:80/…"),
      ("user:secret@a/b?secret", "…@a/b?…", "…@a/…"),
      ("http://user:sec/ret?s#e@a b", "http://…@a b", "http://…@a b"),
      ("http:/a/secret", "http:/a/secret", "http:/…"),
    ])
  func broken(text: String, shown: String, host: String) {
    #expect(RedactedURL.broken(text) == shown)
    #expect(RedactedURL.broken(text, upTo: .host) == host)
  }

  @Test(
    "Of a text the words that are URLs are shown so, and the others as they are",
    arguments: [
      ("cpu > 90 % for 30 s", "cpu > 90 % for 30 s"), ("me@home.json", "me@home.json"),
      (" http://a/b?secret  down for 2 probes\n", " http://a/b?…  down for 2 probes\n"),
      ("http://user:secret@a down", "http://…@a down"),
      ("http://user:a secret@a down http://b#secret", "http://…@a down http://b"),
    ])
  func text(text: String, shown: String) {
    #expect(RedactedURL.text(text) == shown)
  }
}

@Suite("FlagError")
struct FlagErrorTests {
  @Test(
    "Characters that steer a terminal or turn the direction of writing are quoted as escapes",
    arguments: [
      ("a\u{202E}b", "'a\\u{202E}b'"), ("a\nb\u{1B}", "'a\\nb\\u{1B}'"),
      ("a\u{2028}b\u{2029}", "'a\\u{2028}b\\u{2029}'"),
      ("\u{FEFF}\u{200B}\u{2066}", "'\\u{FEFF}\\u{200B}\\u{2066}'"), ("é日🙂", "'é日🙂'"),
    ])
  func escapes(text: String, quoted: String) {
    #expect(FlagError.quoted(text) == quoted)
  }

  @Test("A URL is quoted without its secrets, and as an argument without its path too")
  func urls() throws {
    #expect(FlagError.quoted("http://user:secret@a/b?secret down") == "'http://…@a/b?… down'")
    let flags = Flags(command: "pulse", summary: "", [.toggle("--json", help: "")])
    #expect(
      throws: FlagError("pulse takes flags only, but was given 'https://a/…'; leave it out, or see pulse --help.")
    ) {
      try flags.parse(["https://a/secret"])
    }
  }

  @Test("A long text is quoted up to 500 characters, and a long name of a flag is none of those there are")
  func long() throws {
    let text = String(repeating: "x", count: 1 << 20)
    #expect(FlagError.quoted(text) == "'" + text.prefix(500) + "…'")
    #expect(FlagError.quoted(String(text.prefix(500))) == "'\(text.prefix(500))'")
    let flags = Flags(command: "pulse", summary: "", [.texts("--watch", "URL", help: ""), .toggle("--json", help: "")])
    // An edit distance would be reckoned letter by letter.
    let error = #expect(throws: FlagError.self) { try flags.parse(["--\(text)"]) }
    #expect(error?.message.hasSuffix("…'; see pulse --help for those it has.") == true)
    let many = Array(repeating: ["--watch", "x"], count: 1 << 17).flatMap(\.self)
    #expect(try flags.parse(many).texts("--watch").count == 1 << 17)
  }
}
