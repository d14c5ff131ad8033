import MSAuthCore
import MSAuthUnix

/// The installed browsers and their profiles, as choices for the setting `browser`.
package struct InstalledBrowsers: Sendable {
  package struct Choice: Sendable, Equatable {
    /// A unique name, such as `Chromium: Work`.
    package let name: String
    /// The name of its desktop entry.
    package let id: String
    package var profile: String?
    /// The value of the setting, with `%s` for the address.
    package let command: String
    package var isDefault = false
  }

  /// Sorted by name.
  package private(set) var choices: [Choice] = []
  /// Files, or parts of them, that were skipped.
  package let notes: [String]
  /// The name of the default browser.
  package let defaultName: String?

  package static func find(environment: [String: String]) async -> InstalledBrowsers {
    let (directories, entries) = await BackgroundThread.run { _ in
      let directories = ApplicationDirectories(environment: environment)
      return (directories, ApplicationEntries(environment: environment, directories))
    }
    var id = entries.defaultID
    if id == nil, !entries.browsers.isEmpty {
      // Some desktops store the default browser elsewhere.
      let result = await runProgram("xdg-settings", ["get", "default-web-browser"], environment: environment)
      id = result?.output.split(at: "\n").first?.withoutDesktopSuffix
    }
    return await BackgroundThread.run { [id] _ in InstalledBrowsers(entries, in: directories, defaultID: id) }
  }

  init(_ entries: ApplicationEntries, in directories: ApplicationDirectories, defaultID: String?) {
    var reader = DesktopFileReader()
    defaultName = entries.browsers.first { $0.id == defaultID }?.name
    for entry in entries.browsers {
      let isDefault = entry.id == defaultID
      let isShared = entries.browsers.count { $0.name.isIdentical(to: entry.name) } > 1
      let name = isShared ? "\(entry.name) (\(entry.id))" : entry.name
      choices.append(Choice(name: name, id: entry.id, command: entry.command.settingValue(), isDefault: isDefault))
      guard let family = BrowserFamily.of(entry) else { continue }
      let profiles = family.profiles(of: entry.command, in: directories, &reader)
      for profile in profiles where profiles.count > 1 {
        let isShared = profiles.count { $0.name.isIdentical(to: profile.name) } > 1
        let profileName = "\(name): \(isShared ? "\(profile.name) (\(profile.key))" : profile.name)"
        let arguments = family.kind == .chromium ? ["--profile-directory=\(profile.key)"] : ["-P", profile.key]
        let command = entry.command.settingValue(adding: arguments)
        choices.append(Choice(name: profileName, id: entry.id, profile: profile.name, command: command))
      }
    }
    notes = entries.problems + reader.problems
  }
}

extension BrowserFamily {
  fileprivate func profiles(
    of command: BrowserCommand,
    in base: ApplicationDirectories,
    _ reader: inout DesktopFileReader
  ) -> [BrowserProfile] {
    let option = "--user-data-dir="
    let chosen = command.arguments.first { $0.utf8.starts(with: option.utf8) }
      .map { String(decoding: $0.utf8.dropFirst(option.utf8.count), as: UTF8.self).replacingBytes("%%", with: "%") }
    let standard = directories.compactMap { directory in
      switch directory {
      case .home(let path): base.home?.appendingPathComponent(path)
      case .config(let path): base.config?.appendingPathComponent(path)
      }
    }
    for directory in chosen.flatMap({ kind == .chromium ? [$0] : nil }) ?? standard {
      let profiles = kind == .chromium ? reader.chromium(in: directory) : reader.firefox(in: directory)
      if !profiles.isEmpty { return profiles }
    }
    return []
  }
}

extension BrowserCommand {
  /// The command as a value of the setting `browser`, with more arguments.
  fileprivate func settingValue(adding added: [String] = []) -> String {
    var words = arguments
    var position = words.firstIndex(of: "%s") ?? words.count
    if position == words.count { words.append("%s") }
    // Flatpak has markers around the address.
    if position > 0, ["@@u", "@@"].contains(words[position - 1]) { position -= 1 }
    words.insert(contentsOf: added.map { $0.replacingBytes("%", with: "%%") }, at: position)
    return Self.joined([program] + words)
  }
}
