import MillraceFlags
import MillraceHTTP
import MillraceLoad

await MillraceLoad.main(
  command: "load", flags: [targetFlag, .trustedIssuers],
  [
    counterScenario, recordsScenario, fanOutScenario, overloadScenario, manyStoresScenario, soakScenario, httpScenario,
  ],
  makeScenario: targetScenario)
