import MillraceInspector

extension ShownRun {
  static func sample(
    _ store: String, id: String, action: String? = "pay", age: Double? = 1, stuck: Bool = false, plan: String? = nil,
    attempt: Int = 1, deaths: Int = 0
  ) -> ShownRun {
    ShownRun(
      store: store, id: id, action: action, key: "k", plan: plan, stuck: stuck, age: age, attempt: attempt,
      deaths: deaths, lastStep: nil, stage: "running", doing: "reads", record: nil)
  }
}
