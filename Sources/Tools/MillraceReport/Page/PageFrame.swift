/// The frame of each page: it loads nothing, has no script, and follows the reader's light or dark setting.
package enum PageFrame {
  /// Everything up to the content.
  package static func opening(title: String) -> HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <meta name="color-scheme" content="light dark">
    <title>\(title)</title>
    <style>
    \(style)</style>
    </head>
    <body>
    <main>
    <h1>\(title)</h1>

    """
  }

  /// Everything behind the content.
  package static let closing: HTML = "</main>\n</body>\n</html>\n"

  private static let style: HTML = """
    :root { --back: #fff; --text: #1c1e21; --faint: #667; --line: #d8dbe0; --one: #2563a8; --two: #b45309; --three: #2f7d4f; }
    @media (prefers-color-scheme: dark) {
      :root { --back: #16181c; --text: #e6e7ea; --faint: #9aa0aa; --line: #363a42; --one: #74aef0; --two: #eda75a; --three: #74c493; }
    }
    body { margin: 0; background: var(--back); color: var(--text); font: 14px/1.45 system-ui, sans-serif; }
    main { max-width: 1200px; margin: 0 auto; padding: 1rem 1.5rem 4rem; }
    h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; }
    p.note { color: var(--faint); } p.verdict { font-size: 1.2rem; }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.5rem; } dt { color: var(--faint); } dd { margin: 0; }
    table { border-collapse: collapse; width: 100%; } caption { text-align: left; color: var(--faint); }
    th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); }
    th { font-weight: 600; } td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    code, pre { font: 12px/1.45 ui-monospace, monospace; margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
    a { color: var(--one); } .bad { color: var(--two); } .faint { color: var(--faint); }
    svg { width: 100%; height: auto; } svg text { fill: var(--faint); font: 11px system-ui, sans-serif; }
    svg .one { fill: var(--one); } svg .two { fill: var(--two); } svg .three { fill: var(--three); }
    svg line { stroke: var(--line); }
    .plot { stroke-width: 1.5; stroke-linejoin: round; } .plot.one { fill: none; stroke: var(--one); }
    .plot.two { fill: none; stroke: var(--two); } .plot.three { fill: none; stroke: var(--three); }
    .key { display: inline-block; width: 1rem; height: .2rem; margin: 0 .4rem .2rem 1rem; vertical-align: middle; }
    .key.one { background: var(--one); } .key.two { background: var(--two); } .key.three { background: var(--three); }
    .span { position: relative; min-width: 12rem; height: 1.2rem; }
    .span i { position: absolute; top: .3rem; height: .6rem; min-width: 2px; background: var(--one); border-radius: 2px; }
    .span i.bad { background: var(--two); }

    """
}
