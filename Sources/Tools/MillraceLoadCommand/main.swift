import MillraceFlags
import MillraceHTTP
import MillraceLoad

#if SQLite
  let keysFlags = ManyKeysOptions.flags
  let keysScenarios = [ManyKeysOptions().scenario]
#else
  let keysFlags: [Flag] = []
  let keysScenarios: [LoadScenario] = []
#endif

await MillraceLoad.main(
  command: "load", flags: [targetFlag, .trustedIssuers] + keysFlags,
  [
    counterScenario, recordsScenario, fanOutScenario, overloadScenario, manyStoresScenario, soakScenario, httpScenario,
  ] + keysScenarios
) { parsed throws(FlagError) in
  #if SQLite
    if let scenario = try ManyKeysOptions.scenario(parsed) { return scenario }
  #else
    guard parsed.text("--scenario") != "many-keys" else {
      throw FlagError(
        "--scenario many-keys needs the journal in a file, which this load is built without; build it with 'swift build -c release "
          + "--traits SQLite --product load'.")
    }
  #endif
  return try targetScenario(parsed)
}
