import ArgumentParser

/// The parser's help with a wrapped usage; the options that most commands take come last, as a list of names.
enum HelpText {
  static func arranged(_ text: String, columns: Int = Terminal.stdoutColumns ?? 80) -> String {
    let text = text.replacing(/(?m)^USAGE: .+$/) { usage in
      // An option stays beside its value.
      let options = usage.output.replacing(/\[[^\]]+\]/) { $0.output.replacing(" ", with: "\n") }
      return Terminal.wrapped(String(options), at: columns, indentation: 7, isFirstIndented: false)
    }
    let (head, sections) = parts(of: text)
    let shared = sections.filter(isShared)
    guard !shared.isEmpty else { return text }
    let names = shared.flatMap { $0.matches(of: /(?m)^  (--?[a-z-]+(?:, --[a-z-]+)*)/).map { String($0.1) } }
    let line = "Options that most commands take, see msauth help options: "
    let list = Terminal.wrapped(line + names.joined(separator: ", "), at: columns, indentation: 0)
    return (head + sections.filter { !isShared($0) } + [list + "\n"]).joined(separator: "\n\n")
  }

  /// The manual pages that aren't a command's, with their sections.
  static let pages: KeyValuePairs = [
    "guide": 7, "recipes": 7, "azure": 7, "mcp": 7, "json": 7, "config": 5, "templates": 5,
  ]

  /// The help for a word that isn't a command: `options`, or the name of a manual page with or without `msauth-`.
  static func topic(_ word: String) -> String? {
    if word == "options" { return sharedOptions }
    if ["environment", "files", "exit-status"].contains(word) { return "See msauth(1): man 1 msauth" }
    let isCommand = !Invocation.command(in: [word]).words.isEmpty
    guard !isCommand, let page = pages.first(where: { [$0.key, "msauth-" + $0.key].contains(word) }) else { return nil }
    return "See msauth-\(page.key)(\(page.value)): man \(page.value) msauth-\(page.key)"
  }

  /// The options that most commands take.
  private static var sharedOptions: String {
    parts(of: Login.helpMessage()).sections.filter(isShared).joined(separator: "\n\n")
  }

  private static func isShared(_ section: String) -> Bool {
    let titles = [AccountOption.title, BrowserOptions.title, ProviderOptions.title, StoreOptions.title]
    return titles.contains { section.hasPrefix($0.uppercased() + ":") }
  }

  /// The paragraphs before the options, and the titled sections.
  private static func parts(of text: String) -> (head: [String], sections: [String]) {
    let paragraphs = text.split(separator: "\n\n").map { $0.last == "\n" ? String($0.dropLast()) : String($0) }
    let isTitled: (String) -> Bool = { $0.prefix { $0 != "\n" }.wholeMatch(of: /[A-Z, ]+:/) != nil }
    let start = paragraphs.firstIndex(where: isTitled) ?? paragraphs.count
    return (Array(paragraphs[..<start]), Array(paragraphs[start...]))
  }
}
