import FoundationEssentials
import MSAuthCore
import MSAuthUnix

/// The desktop entries that open https addresses, and the default one.
struct ApplicationEntries: Sendable {
  private static let maximumDirectories = 64
  private static let maximumEntries = 5000

  /// Sorted by name.
  private(set) var browsers: [DesktopEntry] = []
  /// The ID of the default browser; `nil` if no file names an installed one.
  private(set) var defaultID: String?
  /// Files that can't be used, with the reason.
  private(set) var problems: [String] = []

  // XDG Base Directory Specification, Desktop Entry Specification, MIME Applications Associations.
  init(environment: [String: String], _ directories: ApplicationDirectories) {
    var reader = DesktopFileReader()
    var seen: Set<String> = []
    for directory in directories.data.prefix(Self.maximumDirectories) {
      let applications = directory.appendingPathComponent("applications")
      for (id, path) in Self.entries(in: applications) where seen.insert(id).inserted {
        let file = reader.bytes(path).flatMap(KeyFile.init)
        guard let entry = file.flatMap({ DesktopEntry(id: id, $0) }) else { continue }
        let programs = [entry.command.program, entry.tryExec].compactMap(\.self)
        if programs.allSatisfy({ findProgram($0, path: environment["PATH"]) != nil }) { browsers.append(entry) }
      }
    }
    browsers.sort { ($0.name, $0.id) < ($1.name, $1.id) }
    let installed = Set(browsers.map(\.id))
    for path in directories.associations {
      guard let file = reader.bytes(path).flatMap(KeyFile.init) else { continue }
      let ids = file["Default Applications"]?[DesktopEntry.https]?.split(at: ";").map(\.withoutDesktopSuffix)
      defaultID = ids?.first(where: installed.contains)
      if defaultID != nil { break }
    }
    problems = reader.problems
  }

  private static func entries(in directory: String) -> [(id: String, path: String)] {
    var found: [(String, String)] = []
    for name in names(in: directory) {
      let path = directory.appendingPathComponent(name)
      if name.hasSuffix(".desktop") {
        found.append((name.withoutDesktopSuffix, path))
      } else if !name.utf8.contains(UInt8(ascii: ".")) {
        for inner in names(in: path) where inner.hasSuffix(".desktop") {
          found.append(("\(name)-\(inner)".withoutDesktopSuffix, path.appendingPathComponent(inner)))
        }
      }
    }
    return found
  }

  private static func names(in directory: String) -> [String] {
    Array(((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted().prefix(maximumEntries))
  }
}

extension String {
  var withoutDesktopSuffix: String { hasSuffix(".desktop") ? String(dropLast(8)) : self }
}

/// The directories of desktop entries and associations.
struct ApplicationDirectories: Sendable {
  /// Base directories, the user's first.
  let data: [String]
  /// Files of default applications, by precedence.
  let associations: [String]
  let home: String?
  let config: String?

  init(environment: [String: String]) {
    func list(_ name: String, default list: String) -> [String] {
      let value = environment.nonEmpty(name) ?? list
      return value.split(at: ":").filter(\.isAbsolutePath)
    }
    home = XDGDirectories.home(in: environment)
    config = environment.absolutePath("XDG_CONFIG_HOME") ?? home?.appendingPathComponent(".config")
    let userData = environment.absolutePath("XDG_DATA_HOME") ?? home?.appendingPathComponent(".local/share")
    var data = [userData].compactMap(\.self) + list("XDG_DATA_DIRS", default: "/usr/local/share:/usr/share")
    // A session that began before Flatpak or Snap was installed lacks these directories.
    let exports = [
      userData?.appendingPathComponent("flatpak/exports/share"), "/var/lib/flatpak/exports/share",
      "/var/lib/snapd/desktop",
    ]
    for export in exports.compactMap(\.self) where !data.contains(export) { data.append(export) }
    let desktops = (environment["XDG_CURRENT_DESKTOP"] ?? "").split(at: ":").map { $0.lowercased() }
      .filter { !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: "/")) }
    let names = desktops.map { "\($0)-mimeapps.list" } + ["mimeapps.list"]
    let folders =
      [config].compactMap(\.self) + list("XDG_CONFIG_DIRS", default: "/etc/xdg")
      + data.map { $0.appendingPathComponent("applications") }
    associations = folders.flatMap { folder in names.map { folder.appendingPathComponent($0) } }
    self.data = data
  }
}
