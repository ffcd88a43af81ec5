/// A plot of lines over two axes, as an SVG image in a page.
package struct Plot: Sendable {
  /// A line through points, in the order of their x.
  package struct Line: Sendable {
    let name: String
    let points: [(x: Double, y: Double)]

    /// Whether it has no point.
    package var isEmpty: Bool { points.isEmpty }

    /// - Parameters:
    ///   - name: the name in the legend.
    ///   - points: the points; those that are no numbers are left out.
    package init(_ name: String, _ points: [(x: Double, y: Double)]) {
      self.name = name
      self.points = points.filter { $0.x.isFinite && $0.y.isFinite }
    }
  }

  private static let (width, height) = (1_000.0, 260.0)
  /// The part of the image inside the axes.
  private static let (left, right, top, bottom) = (70.0, 985.0, 24.0, 225.0)

  private let title: String
  private let lines: [Line]
  private let x: PlotAxis
  private let y: PlotAxis

  /// A plot of at most three lines.
  ///
  /// - Parameters:
  ///   - title: the heading.
  ///   - x: the name of the horizontal axis, with its unit.
  ///   - y: the name of the vertical axis, with its unit.
  ///   - isLogarithmic: whether the vertical axis is logarithmic; values of 0 and less are then left out.
  ///   - lines: the lines, each in a colour of its own.
  package init(_ title: String, x: String, y: String, isLogarithmic: Bool = false, _ lines: [Line]) {
    self.title = title
    self.lines = lines.map { line in
      Line(line.name, isLogarithmic ? line.points.filter { $0.y > 0 } : line.points)
    }
    let points = self.lines.flatMap(\.points)
    self.x = PlotAxis(name: x, values: points.map(\.x), isLogarithmic: false)
    self.y = PlotAxis(name: y, values: points.map(\.y) + (isLogarithmic ? [] : [0]), isLogarithmic: isLogarithmic)
  }

  /// The heading, the legend and the image; a sentence where there is nothing to plot.
  package var html: HTML {
    guard lines.contains(where: { !$0.points.isEmpty }) else {
      return "<h2>\(title)</h2>\n<p class=\"note\">There are no figures for this plot.</p>\n"
    }
    var image: HTML = """
      <h2>\(title)</h2>
      <svg viewBox="0 0 \(Self.width) \(Self.height)" role="img" aria-label="\(title)">

      """
    for tick in y.ticks {
      let height = vertical(tick)
      image += """
        <line x1="\(Self.left)" y1="\(height)" x2="\(Self.right)" y2="\(height)"/>
        <text x="\(Self.left - 6)" y="\(height + 4)" text-anchor="end">\(y.text(tick))</text>

        """
    }
    for tick in x.ticks {
      image += """
        <text x="\(horizontal(tick))" y="\(Self.bottom + 16)" text-anchor="middle">\(x.text(tick))</text>

        """
    }
    image += """
      <text x="\(Self.right)" y="\(Self.bottom + 32)" text-anchor="end">\(x.name)</text>
      <text x="0" y="10">\(y.name)</text>

      """
    for (line, colour) in zip(lines, ["one", "two", "three"]) {
      let points = line.points.map { "\(horizontal($0.x)),\(vertical($0.y))" }.joined(separator: " ")
      image += "<polyline class=\"plot \(colour)\" points=\"\(points)\"/>\n"
    }
    image += "</svg>\n"
    image += legend
    return image
  }

  private var legend: HTML {
    guard lines.count > 1 else { return "" }
    let names = zip(lines, ["one", "two", "three"]).map { line, colour -> HTML in
      "<span class=\"key \(colour)\"></span>\(line.name) "
    }
    return "<p class=\"note\">\(HTML.joined(names))</p>\n"
  }

  private func horizontal(_ value: Double) -> Double {
    Self.tenths(Self.left + x.share(of: value) * (Self.right - Self.left))
  }

  private func vertical(_ value: Double) -> Double {
    Self.tenths(Self.bottom - y.share(of: value) * (Self.bottom - Self.top))
  }

  /// Shorter than all digits, and as good to the eye.
  private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
