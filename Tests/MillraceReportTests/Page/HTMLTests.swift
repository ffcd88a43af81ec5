import Testing

@testable import MillraceReport

@Suite("HTML")
struct HTMLTests {
  @Test(
    "Text from elsewhere is escaped",
    arguments: [
      ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
      ("\" onload='x' & y", "&quot; onload=&#39;x&#39; &amp; y"),
      ("a\nb\tc", "a\nb\tc"),
      ("a\u{0}b\u{1B}[31m\u{7F}\u{85}", "a\u{FFFD}b\u{FFFD}[31m\u{FFFD}\u{FFFD}"),
      ("\u{202E}txt.exe\u{2066}", "\u{FFFD}txt.exe\u{FFFD}"),
      ("é 👩‍👩‍👧 …", "é 👩‍👩‍👧 …"),
    ])
  func escaping(text: String, source: String) {
    #expect(HTML(text: text).source == source)
    #expect(("<b>\(text)</b>" as HTML).source == "<b>\(source)</b>")
  }

  @Test("Markup goes into markup as it is")
  func markup() {
    let inner: HTML = "<i>\("<")</i>"
    #expect(("<b>\(inner)\(.joined([inner, inner]))</b>" as HTML).source == "<b><i>&lt;</i><i>&lt;</i><i>&lt;</i></b>")
  }

  @Test("A page loads nothing, has no script, and says so to the browser")
  func frame() {
    let page = PageFrame.opening(title: "</title><script>").source + PageFrame.closing.source
    #expect(page.contains("<title>&lt;/title&gt;&lt;script&gt;</title>"))
    #expect(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'\""))
    for word in ["<script", "src=", "href=", "url(", "@import", "http:", "https:"] { #expect(!page.contains(word)) }
  }
}
