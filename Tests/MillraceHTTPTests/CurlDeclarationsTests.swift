import MillraceCurlChecks
import Testing

@Suite("The declarations of libcurl")
struct CurlDeclarationsTests {
  @Test(
    "Where libcurl's header exists, each number that is declared without it is the one of the header",
    .enabled(if: millrace_curl_has_header(), "There is no curl/curl.h on this machine."))
  func numbers() {
    #expect(millrace_curl_row_count() > 60)
    for index in 0..<millrace_curl_row_count() {
      let row = millrace_curl_row_at(index)
      #expect(row.declared == row.expected, "\(String(cString: row.name))")
    }
  }
}
