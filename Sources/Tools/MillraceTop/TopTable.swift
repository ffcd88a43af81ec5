import MillraceInspector
package import MillraceTerminal

/// The rows of the table of runs.
package struct TopTable: Sendable {
  private let address: String
  private let isASCII: Bool

  package init(of address: String, isASCII: Bool) { (self.address, self.isASCII) = (address, isASCII) }

  /// The mark in place of a part that was cut off.
  package var mark: String { isASCII ? "~" : "…" }

  /// The rows for a terminal with room for this number: what was asked, the heads of the columns, and the first runs.
  package func rows(_ state: TopState, atMost room: Int) -> [TableRow] {
    let runs = state.runs
    var rows = [header(state, shown: runs.count), keys(state)]
    if let failure = state.failure { rows.append(row { $0.add(printable(failure.description), .bad) }) }
    if let document = state.document, !document.unanswered.isEmpty {
      let names = document.unanswered.map(printable).joined(separator: ", ")
      rows.append(row { $0.add("no answer in time from: \(names)", .warning) })
    }
    rows += listing(runs, isWhole: false)
    guard rows.count > room else { return rows }
    let left = rows.count - room + 1
    return rows.prefix(max(room - 1, 0)) + [row { $0.add("\(mark) \(left) more lines", .faint) }]
  }

  /// The heads of the columns and the runs, for a reader that is no terminal: nothing is cut.
  package func listing(_ state: TopState) -> [TableRow] { listing(state.runs, isWhole: true) }

  private func header(_ state: TopState, shown: Int) -> TableRow {
    row { row in
      row.add("millrace top", .strong)
      row.add("  \(printable(address))")
      guard let document = state.document else { return row.add("  no list yet", .faint) }
      let stuck = document.runs.count(where: \.stuck)
      row.add("  \(document.runs.count) open")
      row.add(", \(stuck) stuck", stuck > 0 ? .bad : .plain)
      if shown < document.runs.count { row.add(", \(shown) shown") }
    }
  }

  private func keys(_ state: TopState) -> TableRow {
    row { row in
      row.add("s order: \(state.order.rawValue)  / filter", .faint)
      if state.isTyping || !state.filter.isEmpty { row.add(": " + printable(state.filter)) }
      if state.isTyping { row.add("_", .strong) }
      row.add("  q quit", .faint)
    }
  }

  private func listing(_ runs: [ShownRun], isWhole: Bool) -> [TableRow] {
    func width(_ head: String, _ texts: [String], most: Int) -> Int {
      min(max(head.count, texts.map { Printable.columns($0) }.max() ?? 0), isWhole ? .max : most) + 2
    }
    let stores = width("STORE", runs.map { printable($0.storeAndKey) }, most: 12)
    let plans = width("PLAN", runs.map { printable($0.plan ?? "-") }, most: 12)
    let doing = width("DOING", runs.map { printable($0.doing) }, most: 26)
    func cut(_ text: String, to width: Int) -> String {
      var row = TableRow()
      row.add(printable(text))
      return row.fitted(to: width - 2, mark: mark).text(isColored: false)
    }
    let heads = row { row in
      row.add("    AGE  ", .faint)
      row.add("STORE", .faint, width: stores)
      row.add("PLAN", .faint, width: plans)
      row.add("TRY  ", .faint)
      row.add("DOING", .faint, width: doing)
      row.add("ACTION", .faint)
    }
    return [heads]
      + runs.map { run in
        row { row in
          row.add(run.stuck ? "!" : " ", .bad)
          row.add(Self.age(run.age), run.stuck ? .bad : .plain, width: 6, isTrailing: true)
          row.add("  ")
          row.add(cut(run.storeAndKey, to: stores), width: stores)
          row.add(cut(run.plan ?? "-", to: plans), width: plans)
          row.add(run.deaths > 0 ? "\(run.attempt)+\(run.deaths)" : "\(run.attempt)", width: 3, isTrailing: true)
          row.add("  ")
          row.add(cut(run.doing, to: doing), width: doing)
          row.add(printable(run.action ?? "cannot be decoded"))
        }
      }
  }

  /// An age in its largest unit: `950ms`, `12s`, `59m`, `47h`, `3d`.
  static func age(_ seconds: Double?) -> String {
    guard let seconds else { return "-" }
    return switch seconds {
    case ..<1: "\(Int(seconds * 1000))ms"
    case ..<120: "\(Int(seconds))s"
    case ..<7200: "\(Int(seconds / 60))m"
    case ..<172_800: "\(Int(seconds / 3600))h"
    default: "\(Int(min(seconds / 86_400, 99_999)))d"
    }
  }

  private func printable(_ text: String) -> String { Printable.text(text, isASCII: isASCII) }

  private func row(_ fill: (inout TableRow) -> Void) -> TableRow {
    var row = TableRow()
    fill(&row)
    return row
  }
}
