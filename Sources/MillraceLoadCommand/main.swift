import MillraceLoad

await MillraceLoad.main(command: "load") {
  counterScenario
  recordsScenario
  fanOutScenario
  overloadScenario
  manyStoresScenario
  soakScenario
}
