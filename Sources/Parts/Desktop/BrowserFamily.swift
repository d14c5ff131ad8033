import MSAuthCore
import MSAuthUnix

/// Browsers with the same format and directory of profiles.
struct BrowserFamily: Sendable {
  enum Kind: Sendable { case chromium, firefox }

  enum Directory: Sendable {
    /// In the home directory.
    case home(String)
    /// In `$XDG_CONFIG_HOME`.
    case config(String)
  }

  let kind: Kind
  /// The names of desktop entries (Debian's, a vendor's, Flatpak's or Snap's) and, for other entries, of programs.
  let names: [String]
  /// The directories of profiles; the first with any is used.
  let directories: [Directory]

  static let all: [BrowserFamily] = [
    chromium(["chromium", "chromium-browser"], "chromium"),
    chromium(["google-chrome", "google-chrome-stable"], "google-chrome"),
    chromium(["google-chrome-beta"], "google-chrome-beta"),
    chromium(["google-chrome-unstable"], "google-chrome-unstable"),
    chromium(["microsoft-edge", "microsoft-edge-stable"], "microsoft-edge"),
    chromium(["microsoft-edge-beta"], "microsoft-edge-beta"),
    chromium(["microsoft-edge-dev"], "microsoft-edge-dev"),
    chromium(["brave-browser", "brave-browser-stable"], "BraveSoftware/Brave-Browser"),
    chromium(["vivaldi", "vivaldi-stable"], "vivaldi"),
    inFlatpak(.chromium, "org.chromium.Chromium", ["config/chromium"]),
    inFlatpak(.chromium, "com.google.Chrome", ["config/google-chrome"]),
    inFlatpak(.chromium, "com.microsoft.Edge", ["config/microsoft-edge"]),
    inFlatpak(.chromium, "com.brave.Browser", ["config/BraveSoftware/Brave-Browser"]),
    inFlatpak(.chromium, "com.vivaldi.Vivaldi", ["config/vivaldi"]),
    inSnap(.chromium, "chromium", "snap/chromium/common/chromium"),
    inSnap(.chromium, "brave", "snap/brave/current/.config/BraveSoftware/Brave-Browser"),
    // Since version 147 new profiles are in the configuration directory.
    BrowserFamily(
      kind: .firefox,
      names: ["firefox", "firefox-esr"],
      directories: [.home(".mozilla/firefox"), .config("mozilla/firefox")]
    ),
    BrowserFamily(kind: .firefox, names: ["librewolf"], directories: [.home(".librewolf")]),
    inFlatpak(.firefox, "org.mozilla.firefox", [".mozilla/firefox", "config/mozilla/firefox"]),
    inFlatpak(.firefox, "io.gitlab.librewolf-community", [".librewolf"]),
    inSnap(.firefox, "firefox", "snap/firefox/common/.mozilla/firefox"),
  ]

  /// The family of an entry, by its ID or else by its program.
  static func of(_ entry: DesktopEntry) -> BrowserFamily? {
    var program = entry.command.program.pathComponents.last
    // env(1) takes variables before the program.
    if program == "env" {
      program = entry.command.arguments.first { !$0.utf8.contains(UInt8(ascii: "=")) }?.pathComponents.last
    }
    return all.first { $0.names.contains(entry.id) } ?? all.first { family in family.names.contains { $0 == program } }
  }

  private static func chromium(_ names: [String], _ directory: String) -> BrowserFamily {
    BrowserFamily(kind: .chromium, names: names, directories: [.config(directory)])
  }

  private static func inFlatpak(_ kind: Kind, _ id: String, _ directories: [String]) -> BrowserFamily {
    BrowserFamily(kind: kind, names: [id], directories: directories.map { .home(".var/app/\(id)/\($0)") })
  }

  private static func inSnap(_ kind: Kind, _ name: String, _ directory: String) -> BrowserFamily {
    BrowserFamily(kind: kind, names: ["\(name)_\(name)"], directories: [.home(directory)])
  }
}
