import Millrace

extension RecordingPage {
  /// The measures of the drawing, in its own units.
  private enum Layout {
    static let width = 1_000
    static let lane = 70
    static let bar = 50
    static let label = 14
  }

  /// Actions, open runs and commits over time, as a drawing.
  var timeline: HTML {
    let bands = bands.filled
    var section: HTML = "<h2 id=\"timeline\">Timeline</h2>\n"
    guard !bands.isEmpty else {
      section += "<p class=\"note\">Nothing happened in this recording.</p>\n"
      return section
    }
    let lanes: [(title: String, style: String, numbers: [Int])] = [
      ("Actions", "one", bands.map(\.actions)),
      ("Open runs, at most", "two", bands.map { $0.mostOpen ?? 0 }),
      ("Commits", "three", bands.map(\.commits)),
    ]
    section += """
      <svg viewBox="0 0 \(Layout.width) \(lanes.count * Layout.lane + 2 * Layout.label)" role="img" \
      aria-label="Actions, open runs and commits over time">

      """
    for (index, lane) in lanes.enumerated() {
      section += self.lane(lane.title, lane.style, lane.numbers, top: index * Layout.lane)
    }
    section += axis(bands.count, top: lanes.count * Layout.lane)
    section += "</svg>\n"
    return section
  }

  private func lane(_ title: String, _ style: String, _ numbers: [Int], top: Int) -> HTML {
    let most = max(numbers.max() ?? 0, 1)
    let bottom = top + Layout.label + Layout.bar
    var lane: HTML = "<text x=\"0\" y=\"\(top + Layout.label - 3)\">\(title), up to \(numbers.max() ?? 0)</text>\n"
    lane += "<line x1=\"0\" x2=\"\(Layout.width)\" y1=\"\(bottom)\" y2=\"\(bottom)\"/>\n"
    for (index, number) in numbers.enumerated() where number > 0 {
      let height = max(1, Layout.bar * number / most)
      let left = Layout.width * index / numbers.count
      let right = Layout.width * (index + 1) / numbers.count
      lane += """
        <rect class="\(style)" x="\(left)" y="\(bottom - height)" width="\(max(right - left - 1, 1))" height="\(height)">\
        <title>\(time(index)) to \(time(index + 1)): \(number)</title></rect>

        """
    }
    return lane
  }

  private func axis(_ count: Int, top: Int) -> HTML {
    .joined(
      [(0, "start"), (count / 2, "middle"), (count, "end")].map { index, anchor in
        """
        <text x="\(Layout.width * index / count)" y="\(top + Layout.label)" text-anchor="\(anchor)">\(time(index))</text>

        """
      })
  }

  private func time(_ band: Int) -> String {
    Histogram.text(.nanoseconds(bands.width * Int64(band)))
  }
}
