import Millrace

extension RecordingPage {
  /// Writes the page, part by part.
  ///
  /// - Throws: the error of `write`.
  package func write(to write: (String) throws -> Void) rethrows {
    try write(PageFrame.opening(title: "Recording of \(facts.name)").source)
    try write(overview.source)
    try write(timeline.source)
    try write(latencies.source)
    try writeActions(write)
    try writeChanges(write)
    try write(PageFrame.closing.source)
  }

  private var overview: HTML {
    let lines = (facts.lines + summary.lines).map { "<dt>\($0.name)</dt><dd>\($0.text)</dd>\n" as HTML }
    let notes = facts.notes.map { "<p class=\"note\">\($0)</p>\n" as HTML }
    return "<dl>\n\(.joined(lines))</dl>\n\(.joined(notes))"
  }

  // MARK: Latencies

  private var latencies: HTML {
    var section: HTML = "<h2 id=\"latencies\">Latencies</h2>\n"
    section += Self.table(of: actionTimes, "action", caption: "From the acceptance of an action to its outcome")
    if summary.calls > 0 {
      section += Self.table(of: callTimes, "call", caption: "From a call to a gateway to its reply")
    }
    var notes = ["Percentiles are at most 0.79 % off."]
    if stillOpen > 0 { notes.append("\(stillOpen) actions have no outcome in the recording.") }
    if untimed > 0 { notes.append("\(untimed) actions are not counted, because too many were open at once.") }
    section += "<p class=\"note\">\(notes.joined(separator: " "))</p>\n"
    return section
  }

  private static func table(of times: NamedTimes, _ kind: String, caption: String) -> HTML {
    let rows = times.rows.map { row in
      let numbers = [row.times.quantile(0.5), row.times.quantile(0.99), row.times.maximum].map {
        "<td class=\"number\">\($0.map(Histogram.text) ?? "–")</td>" as HTML
      }
      return """
        <tr data-row="latency-\(kind)"><td><code>\(row.name)</code></td><td class="number">\(row.times.count)</td>\
        \(.joined(numbers))</tr>

        """ as HTML
    }
    return """
      <table>
      <caption>\(caption)</caption>
      <thead><tr><th>\(kind)</th><th class="number">count</th><th class="number">p50</th><th class="number">p99</th>\
      <th class="number">max</th></tr></thead>
      <tbody>
      \(.joined(rows))</tbody>
      </table>

      """
  }

  // MARK: Actions

  private func writeActions(_ write: (String) throws -> Void) rethrows {
    let left = Self.leftOut(shown: shownActions, of: summary.actions, "actions")
    let head: HTML = """
      <h2 id="actions">Actions and what they sent</h2>
      <p class="note">An action that a handler sent stands behind the one that was handled.\(left)</p>
      <table>
      <thead><tr><th>action</th><th class="number">run</th><th>outcome</th><th class="number">at</th><th class="number">took</th><th></th></tr></thead>
      <tbody>

      """
    try write(head.source)
    for (node, depth) in tree.inOrder { try write(row(of: node, depth).source) }
    try write("</tbody>\n</table>\n")
  }

  private func row(of node: CausalityTree.Node, _ depth: Int) -> HTML {
    let sender = node.parent.flatMap { depth == 0 ? " sent by \($0)" : nil } ?? ""
    let outcome = node.outcome.map(\.rawValue) ?? "open"
    let error: HTML = node.error.map { "<br><span class=\"faint\">\($0)</span>" as HTML } ?? ""
    let isBad = !node.isAccepted || node.outcome.map { $0 != .finished } ?? false
    let took = node.end.map { Histogram.text(.nanoseconds($0 - node.start)) } ?? "–"
    // The end of the recording stands for that of a run that has none.
    let whole = Double(max(summary.end, 1))
    let left = 100 * Double(node.start) / whole
    let width = 100 * Double((node.end ?? summary.end) - node.start) / whole
    // Beyond some depth a row would have no place left; its depth is still told.
    return """
      <tr data-row="action" data-depth="\(depth)" id="\(Self.anchor(node.run))">\
      <td style="padding-left: \(Double(min(depth, 24)) * 1.2)rem"><code>\(node.text)</code>\
      <span class="faint">\(sender)</span></td>\
      <td class="number">\(node.run)</td><td class="\(isBad ? "bad" : "")">\(outcome)\(error)</td>\
      <td class="number">\(Histogram.text(.nanoseconds(node.start)))</td><td class="number">\(took)</td>\
      <td><div class="span"><i class="\(isBad ? "bad" : "")" style="left: \(Self.percent(left))%; \
      width: \(Self.percent(width))%"></i></div></td></tr>

      """
  }

  // MARK: Commits

  private func writeChanges(_ write: (String) throws -> Void) rethrows {
    let head: HTML = """
      <h2 id="commits">Commits and what they changed</h2>
      <p class="note">What was, and what it became.\(Self.leftOut(shown: shownCommits, of: summary.commits, "commits"))</p>
      <table>
      <thead><tr><th class="number">revision</th><th class="number">at</th><th>run</th><th>mutation</th><th>difference</th></tr></thead>
      <tbody>

      """
    try write(head.source)
    for change in changes { try write(row(of: change).source) }
    try write("</tbody>\n</table>\n")
  }

  private func row(of change: Change) -> HTML {
    switch change {
    case .commit(let at, let revision, let run, let text, let difference):
      return """
        <tr data-row="commit"><td class="number">\(revision)</td><td class="number">\(Histogram.text(.nanoseconds(at)))</td>\
        <td>\(link(to: run))</td><td><code>\(text)</code></td><td>\(Self.text(of: difference))</td></tr>

        """
    case .state(let at, let revision, let difference):
      return """
        <tr data-row="state"><td class="number">\(revision)</td><td class="number">\(Histogram.text(.nanoseconds(at)))</td>\
        <td></td><td class="faint">the state was recorded</td><td>\(Self.text(of: difference))</td></tr>

        """
    case .step(let at, let run, let name, let text, let isFailure):
      return """
        <tr data-row="step"><td></td><td class="number">\(Histogram.text(.nanoseconds(at)))</td><td>\(link(to: run))</td>\
        <td class="\(isFailure ? "bad" : "faint")">the step <code>\(name)</code> \(isFailure ? "failed" : "returned")</td>\
        <td><code>\(text)</code></td></tr>

        """
    case .gap(let at, let missed):
      let text = missed == 0 ? "commits are missing here" : "\(missed) entries are missing here"
      return """
        <tr data-row="gap"><td></td><td class="number">\(Histogram.text(.nanoseconds(at)))</td><td></td>\
        <td class="bad">\(text)</td><td></td></tr>

        """
    }
  }

  private static func text(of difference: [String]?) -> HTML {
    guard let difference else { return "" }
    return difference.isEmpty
      ? "<span class=\"faint\">nothing differs</span>" : "<pre>\(difference.joined(separator: "\n"))</pre>"
  }

  /// The run, as a link to its action where that is shown.
  private func link(to run: RunID) -> HTML {
    tree.contains(run) ? "<a href=\"#\(Self.anchor(run))\">\(run)</a>" : "\(run)"
  }

  // MARK: Texts

  /// A sentence about the parts that are not shown; empty if all are.
  private static func leftOut(shown: Int, of count: Int, _ what: String) -> String {
    shown < count ? " Shown are the first \(shown) of \(count) \(what); give --rows \(count) to show all." : ""
  }

  /// The name by which a row is linked to.
  private static func anchor(_ run: RunID) -> String {
    "run-\(run.action.number)-\(run.store)"
  }

  /// A number of percent to two digits, inside of 0 to 100.
  private static func percent(_ number: Double) -> Double {
    (min(max(number, 0), 100) * 100).rounded() / 100
  }
}
