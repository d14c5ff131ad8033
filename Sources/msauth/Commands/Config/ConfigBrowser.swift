import ArgumentParser
import Core
import Desktop
import FoundationEssentials
import MSAuth
import Preferences
import Unix

/// `msauth config browser`: lists the browsers of this system and their profiles, and remembers which one to open.
struct ConfigBrowser: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "browser",
    abstract: "List the browsers and their profiles, and remember the one to open.",
    discussion: """
      A terminal asks which. A script names one, or its number: msauth config browser 'Chromium: Work' --profile work. \
      The choice is the key browser of the configuration file; msauth config unset browser goes back to the desktop's \
      default.
      """
  )

  @Argument(help: "The browser: its name or number in the list.")
  var name: String?

  @OptionGroup var profile: ProfileOption
  @OptionGroup var options: FileOptions

  func run() async throws {
    Console.configure(isQuiet: options.quiet, isVerbose: false)
    let (config, profile) = (options.config, profile.profile)
    let given = ["config": config].compactMapValues(\.self)
    let present = try await BackgroundThread.run { _ in
      // A profile that is not there yet is made by the choice.
      let flags = profile.map { given.merging(["profile": $0]) { $1 } } ?? given
      let effective = try (try? EffectiveSettings(Layer(flags: flags))) ?? EffectiveSettings(Layer(flags: given))
      return effective.settings.first { $0.name == "browser" }?.value?.string
    }
    let browsers = await InstalledBrowsers.find(environment: ProcessInfo.processInfo.environment)
    if name == nil { for note in browsers.notes { Console.notice(note.printable(limit: 1000)) } }
    let list = browsers.choices.map { BrowserOutput($0, isChosen: $0.command == present) }

    let chosen: Int
    if let name {
      chosen = try Self.place(of: name, in: browsers.choices)
    } else if !options.json, Questions.canBeAsked, Console.resultIsTerminal, !list.isEmpty {
      chosen = try await Questions.choose("Which browser", of: list.map(\.line))
    } else {
      return try print(list, notes: browsers.notes)
    }
    let choice = browsers.choices[chosen]
    let browser = BrowserOutput(choice, isChosen: true)
    try await ConfigSet.write("browser", [choice.command], self.profile, options, browser: browser)
    guard !options.json else { return }
    try Console.result(choice.name.printable(limit: 200))
  }

  private func print(_ list: [BrowserOutput], notes: [String]) throws {
    if options.json {
      struct Result: Encodable { let browsers: [BrowserOutput], notes: [String]? }
      return try Output(Result(browsers: list, notes: notes.isEmpty ? nil : notes)).print()
    }
    guard !list.isEmpty else {
      return Console.notice("no browser is installed that is registered for https addresses")
    }
    for (index, browser) in list.enumerated() { try Console.result("\(index + 1)) \(browser.line)") }
  }

  /// The choice that a person names, by its number, or by its name in upper or lower case.
  private static func place(of name: String, in choices: [InstalledBrowsers.Choice]) throws -> Int {
    if let number = Int(name), choices.indices.contains(number - 1) { return number - 1 }
    func folded(_ text: String) -> [UInt8] { text.utf8.map(\.asciiLowercased) }
    if let index = choices.firstIndex(where: { folded($0.name) == folded(name) }) { return index }
    // The desktop entry's name is shorter, and the same in every language.
    func short(_ choice: InstalledBrowsers.Choice) -> String {
      [choice.id, choice.profile].compactMap(\.self).joined(separator: ": ")
    }
    if let index = choices.firstIndex(where: { folded(short($0)) == folded(name) }) { return index }
    let meant = nearest(to: name, in: choices.flatMap { [$0.name, short($0)] })
    throw AuthenticationError(
      .invalidParameter,
      "there is no browser \(name.quoted) here",
      reason: "usage",
      hint: Hint(
        meant.map { "did you mean \($0.quoted)?" }
          ?? "msauth config browser lists them; msauth config set browser COMMAND takes any other command"
      )
    )
  }
}

/// A browser in `--json`.
struct BrowserOutput: Encodable, Sendable {
  let name: String
  let id: String
  let profile: String?
  let command: String
  /// Whether it is the desktop's default.
  let `default`: Bool
  /// Whether the configuration names it.
    let chosen: Bool

    init(_ choice: InstalledBrowsers.Choice, isChosen: Bool) {
      (name, id, command, `default`) = (choice.name, choice.id, choice.command, choice.isDefault)
      profile = choice.profile
      chosen = isChosen
  }

  /// A line of the list.
  var line: String {
    let marks = [`default` ? "the desktop's default" : nil, chosen ? "chosen" : nil].compactMap(\.self)
    return name.printable(limit: 200) + (marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))")
  }
}
