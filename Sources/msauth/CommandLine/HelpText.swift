import ArgumentParser

/// A command's help, whose layout only this type parses: ArgumentParser has no public list of options.
struct HelpText {
  struct Option {
    let names: [String]
    /// Such as `file` in `--config <file>`.
    let valueName: String?
    /// The first line of its help.
    let abstract: String
  }

  private let text: String

  init(_ text: String) { self.text = text }
  init(of command: any ParsableCommand.Type) { text = command.helpMessage() }

  var takesArguments: Bool { text.contains("\nARGUMENTS:") }

  func takes(_ option: String) -> Bool { self.option(option) != nil }

  func option(_ name: String) -> Option? { Self.options(in: text).first { $0.names.contains(name) } }

  /// The text with a wrapped usage; the options that most commands take come last, as a list of names.
  func arranged(columns: Int = Terminal.stdoutColumns ?? 80) -> String {
    let text = text.replacing(/(?m)^USAGE: .+$/) { usage in
      // An option stays beside its value.
      let options = usage.output.replacing(/\[[^\]]+\]/) { String($0.output).unbroken }
      return Terminal.wrapped(String(options), at: columns, indentation: 7, isFirstIndented: false)
    }
    let (head, sections) = Self.parts(of: text)
    let shared = sections.filter(Self.isShared)
    guard !shared.isEmpty else { return text }
    let names = shared.flatMap(Self.options).map { $0.names.joined(separator: ", ") }
    let line = "Options that most commands take, see msauth help options: "
    let list = Terminal.wrapped(line + names.joined(separator: ", "), at: columns, indentation: 0)
    return (head + sections.filter { !Self.isShared($0) } + [list + "\n"]).joined(separator: "\n\n")
  }

  private static func options(in text: String) -> [Option] {
    text.matches(of: /(?m)^  (-[^\s,]+(?:, -[^\s,]+)*)(?: <(.+?)>)? *(.*)$/).map { line in
      let names = line.1.split(separator: ", ").map(String.init)
      return Option(names: names, valueName: line.2.map(String.init), abstract: String(line.3))
    }
  }

  /// The paragraphs before the options, and the titled sections.
  private static func parts(of text: String) -> (head: [String], sections: [String]) {
    let paragraphs = text.split(separator: "\n\n").map { $0.last == "\n" ? String($0.dropLast()) : String($0) }
    let isTitled: (String) -> Bool = { $0.prefix { $0 != "\n" }.wholeMatch(of: /[A-Z, ]+:/) != nil }
    let start = paragraphs.firstIndex(where: isTitled) ?? paragraphs.count
    return (Array(paragraphs[..<start]), Array(paragraphs[start...]))
  }

  private static func isShared(_ section: String) -> Bool {
    let titles = [AccountOption.title, BrowserOptions.title, ProviderOptions.title, StoreOptions.title]
    return titles.contains { section.hasPrefix($0.uppercased() + ":") }
  }
}

// Words that `msauth help` takes beside commands.
extension HelpText {
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
}
