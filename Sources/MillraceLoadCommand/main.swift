import MillraceFlags
import MillraceLoad

await MillraceLoad.main(
  command: "load", flags: [targetFlag],
  [
    counterScenario, recordsScenario, fanOutScenario, overloadScenario, manyStoresScenario, soakScenario, httpScenario,
  ],
  makeScenario: targetScenario)
