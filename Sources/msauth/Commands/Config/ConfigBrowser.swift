import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthCore
import MSAuthDesktop
import MSAuthPreferences

struct ConfigBrowser: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "browser",
    abstract: "List the browsers and their profiles, and choose one.",
    discussion: """
      At a terminal, prompts for a choice; in a script, give the name or number of a browser. The choice is stored as the \
      key browser; msauth config unset browser restores the desktop's default.

      EXAMPLES
        $ msauth config browser
        $ msauth config browser 'Chromium: Work' --profile work
      """
  )

  @Argument(help: "The browser: its name or number in the list.")
  var name: String?

  @OptionGroup var profile: ProfileOption
  @OptionGroup var options: FileOptions

  func run() async throws {
    Console.configure(isQuiet: options.quiet, isVerbose: false)
    var flags = ["config": options.config].compactMapValues(\.self)
    var effective = try EffectiveSettings(Layer(flags: flags))
    // A profile that doesn't exist yet is created by the choice.
    flags["profile"] = profile.profile
    effective = (try? EffectiveSettings(Layer(flags: flags))) ?? effective
    let present = try effective.setting(named: "browser").value?.string
    let browsers = await InstalledBrowsers.find(environment: ProcessInfo.processInfo.environment)
    if name == nil { for note in browsers.notes { Console.notice(note.printable(limit: 1000)) } }
    let list = browsers.choices.map { BrowserOutput($0, isChosen: $0.command == present) }

    let chosen: Int
    if let name {
      chosen = try Self.index(of: name, in: browsers.choices)
    } else if !options.json, Questions.canBeAsked, Console.resultIsTerminal, !list.isEmpty {
      chosen = try await Questions.choose("Which browser", of: list.map(\.line))
    } else {
      return try print(list, notes: browsers.notes)
    }
    let choice = browsers.choices[chosen]
    let browser = BrowserOutput(choice, isChosen: true)
    try await ConfigSet.write("browser", [choice.command], profile, options, browser: browser)
    if !options.json { try Console.result(choice.name.printable(limit: 200)) }
  }

  private func print(_ list: [BrowserOutput], notes: [String]) throws {
    if options.json {
      struct Result: Encodable { let browsers: [BrowserOutput], notes: [String]? }
      return try Output(Result(browsers: list, notes: notes.isEmpty ? nil : notes)).print()
    }
    guard !list.isEmpty else {
      return Console.notice("no installed browser is registered for https links")
    }
    for (index, browser) in list.enumerated() { try Console.result("\(index + 1)) \(browser.line)") }
  }

  /// The choice with that number, or with that name in any case.
  private static func index(of name: String, in choices: [InstalledBrowsers.Choice]) throws -> Int {
    if let number = Int(name), choices.indices.contains(number - 1) { return number - 1 }
    func folded(_ text: String) -> [UInt8] { text.utf8.map(\.asciiLowercased) }
    // The desktop entry's ID is shorter, and the same in every language.
    func short(_ choice: InstalledBrowsers.Choice) -> String {
      [choice.id, choice.profile].compactMap(\.self).joined(separator: ": ")
    }
    let index =
      choices.firstIndex { folded($0.name) == folded(name) } ?? choices.firstIndex { folded(short($0)) == folded(name) }
    if let index { return index }
    let meant = nearest(to: name, in: choices.flatMap { [$0.name, short($0)] })
    let list = "msauth config browser lists them; to use another command, run msauth config set browser COMMAND"
    let hint = Hint(meant.map { "did you mean \($0.quoted)?" } ?? list)
    throw AuthenticationError.usage("there is no browser \(name.quoted) here", reason: "usage", hint: hint)
  }
}

struct BrowserOutput: Encodable, Sendable {
  let name: String
  let id: String
  let profile: String?
  let command: String
  let `default`: Bool
  let chosen: Bool

  init(_ choice: InstalledBrowsers.Choice, isChosen: Bool) {
    (name, id, command, `default`) = (choice.name, choice.id, choice.command, choice.isDefault)
    profile = choice.profile
    chosen = isChosen
  }

  var line: String {
    let marks = [`default` ? "the desktop's default" : nil, chosen ? "chosen" : nil].compactMap(\.self)
    return name.printable(limit: 200) + (marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))")
  }
}
