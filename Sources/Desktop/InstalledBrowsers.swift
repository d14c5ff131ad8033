import Core
import Unix

/// The browsers of this system, their profiles and containers, as what a person can choose from.
package struct InstalledBrowsers: Sendable {
  /// A browser, or one of its profiles, or a container in one.
  package struct Choice: Sendable, Equatable {
    /// Its name, such as `Chromium: Work`; there is one of each name.
    package let name: String
    /// The name of its desktop entry.
    package let id: String
    /// The profile's name.
    package var profile: String?
    /// The container's name.
    package var container: String?
    /// The command that opens it, with `%s` for the address.
    package let command: String
    /// Whether it is the desktop's default browser.
    package let isDefault: Bool
  }

  /// What can be chosen, in the order of the names.
  package private(set) var choices: [Choice] = []
  /// What cannot be chosen, and why: files that were skipped, containers that need an extension; in sentences.
  package private(set) var notes: [String] = []
  /// The name of the desktop's default browser; nil where none is registered.
  package let defaultName: String?

  /// Looks for them.
  package static func find(environment: [String: String]) async -> InstalledBrowsers {
    let (directories, entries) = await BackgroundThread.run { _ in
      let directories = ApplicationDirectories(environment: environment)
      return (directories, ApplicationEntries(environment: environment, directories))
    }
    var id = entries.defaultID
    if id == nil, !entries.browsers.isEmpty {
      // Desktops that keep it elsewhere.
      let answer = await runProgram("xdg-settings", ["get", "default-web-browser"], environment: environment)
      let name = answer?.output.utf8.split(separator: 0x0A).first.map { String(decoding: $0, as: UTF8.self) }
      id = name?.withoutDesktopSuffix
    }
    return await BackgroundThread.run { [id] _ in InstalledBrowsers(entries, in: directories, defaultID: id) }
  }

  init(_ entries: ApplicationEntries, in directories: ApplicationDirectories, defaultID: String?) {
    var reader = ProfileReader()
    defaultName = entries.browsers.first { $0.id == defaultID }?.name
    notes = entries.problems
    for entry in entries.browsers {
      guard let command = entry.command else { continue }
      let isDefault = entry.id == defaultID
      let isShared = entries.browsers.count { $0.name.isIdentical(to: entry.name) } > 1
      let name = isShared ? "\(entry.name) (\(entry.id))" : entry.name
      choices.append(Choice(name: name, id: entry.id, command: command.opening(), isDefault: isDefault))
      guard let family = BrowserFamily.of(entry, command) else { continue }
      let profiles = family.profiles(of: command, in: directories, &reader)
      for profile in profiles {
        let isShared = profiles.count { $0.name.isIdentical(to: profile.name) } > 1
        let profileName = "\(name): \(isShared ? "\(profile.name) (\(profile.key))" : profile.name)"
        let arguments = family.kind == .chromium ? ["--profile-directory=\(profile.key)"] : ["-P", profile.key]
        if profiles.count > 1 {
          choices.append(
            Choice(
              name: profileName,
              id: entry.id,
              profile: profile.name,
              command: command.opening(with: arguments),
              isDefault: false
            )
          )
        }
        guard profile.opensContainers else {
          if !profile.containers.isEmpty { notes.append(Self.extensionNote(profileName, profile.containers)) }
          continue
        }
        choices += profile.containers.map { container in
          Choice(
            name: "\(profileName): \(container)",
            id: entry.id,
            profile: profile.name,
            container: container,
            command: command.opening(with: arguments, inContainer: container),
            isDefault: false
          )
        }
      }
    }
    notes += reader.problems
  }

  private static func extensionNote(_ profile: String, _ containers: [String]) -> String {
    let names = containers.map { $0.printable(limit: 40) }.joined(separator: ", ")
    return "\(profile.printable(limit: 80)) has containers (\(names)); to open an address in one, Firefox needs the "
      + "extension \"Open external links in a container\": "
      + "https://addons.mozilla.org/firefox/addon/open-url-in-container/"
  }
}

extension BrowserFamily {
  /// The profiles of a browser.
  fileprivate func profiles(
    of command: ExecLine,
    in directories: ApplicationDirectories,
    _ reader: inout ProfileReader
  ) -> [BrowserProfile] {
    let option = "--user-data-dir="
    let given = command.arguments.compactMap(\.self).first { $0.utf8.starts(with: option.utf8) }
      .map { String(decoding: $0.utf8.dropFirst(option.utf8.count), as: UTF8.self) }
    let usual = places.compactMap { place in
      switch place {
      case .home(let path): directories.home?.appendingPathComponent(path)
      case .config(let path): directories.config?.appendingPathComponent(path)
      }
    }
    for directory in kind == .chromium ? [given].compactMap(\.self) + (given == nil ? usual : []) : usual {
      let profiles = kind == .chromium ? reader.chromium(in: directory) : reader.firefox(in: directory)
      if !profiles.isEmpty { return profiles }
    }
    return []
  }
}

extension ExecLine {
  /// The command that opens an address, as the key `browser` takes it.
  fileprivate func opening(with added: [String] = [], inContainer container: String? = nil) -> String {
    func escaped(_ text: String) -> String {
      String(decoding: text.utf8.flatMap { $0 == UInt8(ascii: "%") ? [$0, $0] : [$0] }, as: UTF8.self)
    }
    // The address is a link of msauth's own, which has nothing in it that a query would have to escape.
    let address = container.map { "ext+container:name=\(escaped(FormEncoding.encode($0)))&url=%s" } ?? "%s"
    var place = arguments.firstIndex(of: nil) ?? arguments.count
    // Flatpak's marks around the address.
    if place > 0, place < arguments.count, ["@@u", "@@"].contains(arguments[place - 1]) { place -= 1 }
    var words = arguments.map { $0.map(escaped) ?? address }
    words.insert(contentsOf: added.map(escaped), at: place)
    if !arguments.contains(nil) { words.append(address) }
    return BrowserCommand.joined([program] + words)
  }
}
