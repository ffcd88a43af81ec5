import Foundation
import Testing

/// The browser that pages are loaded in, without a window; each call is a process that ends by itself, or is ended.
struct Chromium: Sendable {
  /// The seconds after which the browser of a page is killed.
  private static let limit = 60

  /// A page as a browser shows it.
  struct Page: Sendable {
    /// The elements after the page was loaded, as HTML.
    let elements: String
    /// The lines of the browser's console: errors, and loads that the page's policy forbids.
    let console: [String]

    func count(_ part: String) -> Int { elements.ranges(of: part).count }
  }

  /// The contents of a picture.
  struct Picture: Sendable, Equatable {
    let colours: Int
    /// The colour of the top left, as red, green, blue.
    let corner: String
  }

  let folder: Folder
  private let program: String

  init(in folder: Folder) throws {
    self.folder = folder
    let paths = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    let programs = paths.flatMap { path in ["chromium", "chromium-browser", "google-chrome"].map { "\(path)/\($0)" } }
    program = try #require(
      programs.first { FileManager.default.isExecutableFile(atPath: $0) },
      """
      There is no chromium on the PATH, and pages are tested in it; install it (apt-get install --no-install-recommends \
      chromium), or run Tests/run, which does.
      """)
  }

  /// Loads a page of the folder.
  func load(_ name: String) async throws -> Page {
    let end = try await run(["--dump-dom", folder.file(name).absoluteString])
    return Page(
      elements: end.output,
      console: end.errors.split(separator: "\n").map(String.init).filter { $0.contains("CONSOLE") })
  }

  /// Takes a picture of a page of the folder, and looks at it.
  func picture(of name: String, isDark: Bool = false) async throws -> Picture {
    let file = folder.file("picture.png")
    _ = try await run([
      "--window-size=1200,1400", "--hide-scrollbars", "--blink-settings=preferredColorScheme=\(isDark ? 0 : 1)",
      "--screenshot=\(file.path)", folder.file(name).absoluteString,
    ])
    // The browser that made it can read it.
    let data = try Data(contentsOf: file).base64EncodedString()
    try """
    <!DOCTYPE html><body><img id="picture" src="data:image/png;base64,\(data)"><script>
    onload = () => {
      const image = document.getElementById("picture")
      const canvas = document.createElement("canvas")
      canvas.width = image.naturalWidth
      canvas.height = image.naturalHeight
      const context = canvas.getContext("2d")
      context.drawImage(image, 0, 0)
      const bytes = context.getImageData(0, 0, canvas.width, canvas.height).data
      const colours = new Set(new Uint32Array(bytes.buffer))
      document.body.textContent = `${colours.size};${bytes[0]},${bytes[1]},${bytes[2]};`
    }
    </script></body>
    """.write(to: folder.file("picture.html"), atomically: true, encoding: .utf8)
    let page = try await load("picture.html")
    let match = try #require(page.elements.firstMatch(of: #/<body>(\d+);([\d,]+);/#), "\(page.elements.suffix(200))")
    return Picture(colours: try #require(Int(match.1)), corner: String(match.2))
  }

  private func run(_ arguments: [String]) async throws -> FinishedCommand {
    let end = try await FinishedCommand(
      "/usr/bin/env",
      [
        // Nothing of the user's settings is read, or left behind there.
        "HOME=\(folder.url.path)", "XDG_CONFIG_HOME=\(folder.url.path)", "XDG_CACHE_HOME=\(folder.url.path)", "timeout",
        "--kill-after=5", "\(Self.limit)", program, "--headless", "--no-sandbox", "--disable-gpu",
        "--disable-dev-shm-usage", "--no-first-run",
        "--enable-logging=stderr", "--user-data-dir=\(folder.file("profile").path)",
      ] + arguments, in: folder)
    try #require(end.code != 124 && end.code != 137, "\(program) did not end within \(Self.limit) s.")
    try #require(end.code == 0, "\(program) ended with \(end.code): \(end.errors.suffix(2_000))")
    return end
  }
}
