import Testing

@testable import Millrace

@Suite("The keys of runs and of steps")
struct RunKeyTests {
  /// The key of a run of a log with these names.
  private func key(_ names: [String], _ run: String) -> RunKey {
    RunKey(run, isSenders: true, log: RunKey.names(names))
  }

  @Test("T2: the keys of a run and of its steps begin with the names of the log")
  func names() {
    let single = key(["orders"], "request")
    #expect(single.textOfRun == "6.orders/7.request")
    #expect(single.text(ofStep: "charge") == "6.orders/7.request.charge")
    let one = key(["orders", "17"], "request")
    #expect(one.textOfRun == "6.orders/2.17/7.request")
    #expect(one.text(ofStep: "charge") == "6.orders/2.17/7.request.charge")
    #expect(key(["é"], "e\u{301}").textOfRun == "2.é/3.e\u{301}", "a length is one in bytes")
  }

  @Test("T2: a run without the names of a log has the key of its sender, and steps that begin with its length")
  func withoutNames() {
    let key = RunKey("request", isSenders: true)
    #expect(key.textOfRun == "request")
    #expect(key.text(ofStep: "charge") == "7.request.charge")
  }

  @Test("T2: no two steps have one key, whatever characters the names of stores, logs, runs and steps have")
  func unambiguous() {
    // Names that look like parts of keys.
    let texts = ["", "1", "a", ".", "/", "1.a", "a.1", "1.a/", "/1.a", "1.a/1.a", "1.a.a", "a/1.a.a"]
    var keys: [String: String] = [:]
    func note(_ key: RunKey, _ name: String, _ parts: [String]) {
      let text = key.text(ofStep: name)
      #expect(text.utf8.count <= 255)
      #expect(keys.updateValue("\(parts) \(name)", forKey: text) == nil, "\(text) is the key of two steps")
    }
    for run in texts {
      for name in texts {
        note(RunKey(run, isSenders: true), name, [run])
        for log in texts {
          note(key([log], run), name, [log, run])
          for stores in texts { note(key([stores, log], run), name, [stores, log, run]) }
        }
      }
    }
    #expect(keys.count == 12 * 12 * (1 + 12 + 144))
  }

  @Test("T2: a key has at most 255 bytes; a longer one is its hash")
  func longKeys() {
    let plain = RunKey("run", isSenders: true)
    let longest = plain.text(ofStep: String(repeating: "x", count: 249))
    #expect(longest.utf8.count == 255 && longest.hasPrefix("3.run.xxx"))
    let hash = plain.text(ofStep: String(repeating: "x", count: 250))
    #expect(hash == SHA256.hexadecimal(of: Array("3.run.".utf8) + Array(repeating: UInt8(ascii: "x"), count: 250)))
    #expect(plain.text(ofStep: String(repeating: "é", count: 125)).utf8.count == 64)
    let log = String(repeating: "x", count: 300)
    let one = key([log, "1"], "run")
    #expect(one.textOfRun == SHA256.hexadecimal(of: "300.\(log)/1.1/3.run".utf8))
    #expect(one.text(ofStep: "a") == SHA256.hexadecimal(of: "300.\(log)/1.1/3.run.a".utf8))
    #expect(one.text(ofStep: "a") != key([log, "2"], "run").text(ofStep: "a"))
  }
}
