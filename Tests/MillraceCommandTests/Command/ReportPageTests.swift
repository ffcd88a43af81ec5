import Foundation
import Testing

/// The page in a browser.
@Suite("Report page in Chromium", .timeLimit(.minutes(2)))
struct ReportPageTests {
  let folder: Folder
  let browser: Chromium

  init() throws {
    folder = try Folder()
    browser = try Chromium(in: folder)
  }

  /// Creates a page of a recording with 300 books, and a series of three that a handler puts.
  private func report(_ program: String) async throws {
    await ShelfLines.record(300, to: folder.file("shelf.jsonl"))
    let end = try await FinishedCommand(program, ["report", "shelf.jsonl"], in: folder)
    #expect(end.errors == "")
    try end.output.write(to: folder.file("report.html"), atomically: true, encoding: .utf8)
  }

  @Test("A service's page has a row for each action and commit, and nothing to complain about in the console")
  func service() async throws {
    try await report("MillraceShelf")
    let page = try await browser.load("report.html")
    #expect(page.console == [])
    #expect(page.count("data-row=\"action\"") == 304)
    #expect(page.count("data-row=\"commit\"") == 303)
    #expect(page.count("data-row=\"latency-action\"") == 2)
    #expect(page.count("data-depth=\"1\"") == 3)
    #expect(page.count("<code>put(\"Volume &lt;300&gt;\", pages: 300)</code>") == 2)
    #expect(page.count("<pre>books[299]: added \"Volume &lt;300&gt;\"\npages: 44850 → 45150</pre>") == 1)
    #expect(page.count("<svg") == 1)
    // The browser has closed every element at the place where the program closes it.
    #expect(page.elements.contains("</table>\n</main>\n\n\n</body></html>"))
    for link in page.elements.matches(of: #/href="#([^"]+)"/#) {
      #expect(page.count("id=\"\(link.1)\"") == 1)
    }
  }

  @Test("The page without types has the same rows, and the differences of the recorded states")
  func untyped() async throws {
    try await report("millrace")
    let page = try await browser.load("report.html")
    #expect(page.console == [])
    #expect(page.count("data-row=\"action\"") == 304)
    #expect(page.count("data-row=\"commit\"") == 303)
    #expect(page.count("data-row=\"state\"") == 1)
    // 256 books and the number of pages, of which 20 are shown.
    #expect(page.count("[\"books\"][0]: added \"Volume &lt;1&gt;\"\n") == 1)
    #expect(page.count("… and 237 more</pre>") == 1)
  }

  @Test("The page can be seen, on a light ground and on a dark one")
  func picture() async throws {
    try await report("MillraceShelf")
    let light = try await browser.picture(of: "report.html")
    #expect(light.colours > 20)
    #expect(light.corner == "255,255,255")
    let dark = try await browser.picture(of: "report.html", isDark: true)
    #expect(dark.colours > 20)
    #expect(dark.corner == "22,24,28")
  }

  @Test("An empty page, and one with mistakes, are found by what finds nothing above")
  func theCheckItself() async throws {
    try "<!DOCTYPE html><body></body>".write(to: folder.file("empty.html"), atomically: true, encoding: .utf8)
    #expect(try await browser.picture(of: "empty.html") == Chromium.Picture(colours: 1, corner: "255,255,255"))
    try """
    <!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="default-src 'none'">
    <img src="picture.png"><script>1</script>
    """.write(to: folder.file("forbidden.html"), atomically: true, encoding: .utf8)
    #expect(try await browser.load("forbidden.html").console.count >= 2)
    try "<!DOCTYPE html><script>missing()</script>".write(
      to: folder.file("mistake.html"), atomically: true, encoding: .utf8)
    #expect(try await browser.load("mistake.html").console.contains { $0.contains("missing is not defined") })
  }
}
