#if SQLite
  import MillraceFlags
  import MillraceLoad

  /// The options of the scenario `many-keys`: a million keys in a journal, of which ten thousand may be in memory.
  struct ManyKeysOptions: Sendable {
    private static let name = "many-keys"

    /// The number of keys that have a log before the run.
    var keys = 1_000_000
    /// The largest number of keys in memory.
    var live = 10_000
    /// Whether each key is drawn as often as every other one; otherwise by Zipf's law.
    var isUniform = false
    /// The path of the journal; nil for a temporary file.
    var journal: String?

    static let flags: [Flag] = [
      .integer("--keys", in: 1...100_000_000, example: "100000", help: "keys of many-keys (default 1000000)"),
      .integer("--live", in: 1...10_000_000, example: "1000", help: "keys of many-keys in memory (default 10000)"),
      .text(
        "--draw", "LAW", example: "uniform",
        help: "how often many-keys draws a key: zipf, the nth in proportion to 1/n, or uniform (default zipf)"),
      .text(
        "--journal", "FILE", example: "keys.journal",
        help: "the journal of many-keys, which is kept and used again (default a temporary file)"),
    ]

    /// The scenario that the flags ask for; nil if they ask for another one.
    ///
    /// - Throws: a sentence for flags that do not fit together.
    static func scenario(_ parsed: ParsedFlags) throws(FlagError) -> LoadScenario? {
      guard parsed.text("--scenario") == name, !parsed.wasGiven("--target") else {
        for flag in flags where parsed.wasGiven(flag.name) {
          throw FlagError("\(flag.name) belongs to --scenario many-keys; add that, or leave \(flag.name) out.")
        }
        return nil
      }
      guard !parsed.wasGiven("--users") else {
        throw FlagError(
          "--scenario many-keys has one user for all keys, so it takes no --users; write --keys for their number.")
      }
      var options = ManyKeysOptions()
      options.keys = parsed.integer("--keys") ?? options.keys
      options.live = parsed.integer("--live") ?? options.live
      options.journal = parsed.text("--journal")
      let law = parsed.text("--draw") ?? "zipf"
      guard ["zipf", "uniform"].contains(law) else {
        throw FlagError(flag: "--draw", needs: "zipf or uniform", given: law, example: "uniform")
      }
      options.isUniform = law == "uniform"
      return options.scenario
    }

    var scenario: LoadScenario {
      LoadScenario(
        Self.name, summary: "sends, reads, sleeps and timers of 1,000,000 keys in a journal, of which 10,000 are live",
        rate: 1_000, users: 1
      ) { _, seed in
        var target = try await ManyKeysTarget(self, seed: seed)
        do {
          try await target.prepare()
        } catch {
          await target.close()
          throw error
        }
        return target
      }
    }
  }
#endif
