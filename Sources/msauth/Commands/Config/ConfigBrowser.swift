import ArgumentParser
import FoundationEssentials
import MSAuth
import MSAuthDesktop
import MSAuthPreferences

struct ConfigBrowser: ReportingCommand {
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

  @OptionGroup var options: ProfileOptions

  func run() async throws {
    // 1. List the browsers, and mark the current one.
    let config = options.fileOptions.config
    // The profile may not exist yet; choosing a browser creates it.
    let known = try Settings.profileNames(Layer(config: config)) + ["default"]
    let profile = options.profile.flatMap { known.contains($0) ? $0 : nil }
    let current = try EffectiveSettings(Layer(config: config, profile: profile)).setting(named: "browser").value?.string
    let browsers = await InstalledBrowsers.find(environment: ProcessInfo.processInfo.environment)
    if name == nil { for note in browsers.notes { Console.notice(note.printable(limit: 1000)) } }

    // 2. Choose one, or print the list.
    guard let choice = try await choice(of: browsers, current: current) else { return }

    // 3. Write the choice.
    var output = try await SettingChange(key: "browser", values: [choice.command], options: options).write()
    output.members["browser"] = choice.json(isChosen: true)
    try options.fileOptions.json ? output.print() : Console.result(choice.name.printable(limit: 200))
  }

  /// The named browser, or the user's choice; `nil` after printing the list, if the user can't be prompted.
  private func choice(of browsers: InstalledBrowsers, current: String?) async throws -> InstalledBrowsers.Choice? {
    let choices = browsers.choices
    if let name { return try Self.choice(named: name, in: choices) }
    if options.fileOptions.json {
      let list = choices.map { $0.json(isChosen: $0.command == current) }
      try JSONResult(["browsers": list, "notes": browsers.notes.isEmpty ? nil : browsers.notes]).print()
      return nil
    }
    let lines = choices.map { $0.line(isChosen: $0.command == current) }
    if lines.isEmpty {
      Console.notice("no installed browser is registered for https links")
    } else if Questions.canBeAsked, Console.stdoutIsTerminal {
      return choices[try await Questions.choose("Which browser", of: lines)]
    } else {
      for (index, line) in lines.enumerated() { try Console.result("\(index + 1)) \(line)") }
    }
    return nil
  }

  /// The choice with that number, or with that name in any case.
  private static func choice(
    named name: String,
    in choices: [InstalledBrowsers.Choice]
  ) throws -> InstalledBrowsers.Choice {
    if let number = Int(name), choices.indices.contains(number - 1) { return choices[number - 1] }
    func folded(_ text: String) -> [UInt8] { text.utf8.map(\.asciiLowercased) }
    // The desktop entry's ID is shorter, and the same in every language.
    func short(_ choice: InstalledBrowsers.Choice) -> String {
      [choice.id, choice.profile].compactMap(\.self).joined(separator: ": ")
    }
    for form in [\.name, short] {
      if let choice = choices.first(where: { folded(form($0)) == folded(name) }) { return choice }
    }
    let nearest = nearest(to: name, in: choices.flatMap { [$0.name, short($0)] })
    let hint: Hint =
      if let nearest {
        "did you mean \(nearest.quoted)?"
      } else {
        """
        msauth config browser lists them; to use another command, run \
        \(command: Invocation.msauth("config", "set", "browser", "COMMAND"))
        """
      }
    throw AuthenticationError.usage("no installed browser is called \(name.quoted)", hint: hint)
  }
}

extension InstalledBrowsers.Choice {
  fileprivate func json(isChosen: Bool) -> JSONValue {
    JSONValue([
      "name": name, "id": id, "profile": profile, "command": command, "default": isDefault, "chosen": isChosen,
    ])
  }

  fileprivate func line(isChosen: Bool) -> String {
    let marks = [isDefault ? "the desktop's default" : nil, isChosen ? "chosen" : nil].compactMap(\.self)
    return name.printable(limit: 200) + (marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))")
  }
}
