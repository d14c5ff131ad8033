import MSAuthCore
import MSAuthUnix

struct BrowserProfile: Sendable, Equatable {
  /// The name that the user gave it.
  let name: String
  /// Its name on the command line: a directory for Chromium, the name for Firefox.
  let key: String
}

extension DesktopFileReader {
  private static let maximumProfiles = 200

  /// Chromium's profiles: the members of `profile.info_cache` in `Local State`.
  mutating func chromium(in directory: String) -> [BrowserProfile] {
    let path = directory.appendingPathComponent("Local State")
    guard let cache = json(path)?["profile"]?["info_cache"]?.object else { return [] }
    var profiles: [BrowserProfile] = []
    for (key, value) in cache.sorted.prefix(Self.maximumProfiles) {
      // The key becomes an argument, so it must be the name of one directory.
      guard !key.isEmpty, key != ".", key != "..", !key.utf8.contains(UInt8(ascii: "/")), Self.isText(key) else {
        problems.append("\(path.printable()) has a profile with an invalid directory: \(key.quoted)")
        continue
      }
      let name = value["name"]?.string.flatMap { $0.isEmpty ? nil : $0 } ?? key
      profiles.append(BrowserProfile(name: name, key: key))
    }
    return profiles
  }

  /// Firefox's profiles: the groups `Profile0` and so on in `profiles.ini`.
  mutating func firefox(in directory: String) -> [BrowserProfile] {
    let path = directory.appendingPathComponent("profiles.ini")
    guard let bytes = bytes(path) else { return [] }
    guard let file = KeyFile(bytes) else {
      problems.append("\(path.printable()) is skipped: it isn't a list of profiles")
      return []
    }
    var profiles: [BrowserProfile] = []
    for (group, values) in file.groups.prefix(Self.maximumProfiles) where group.utf8.starts(with: "Profile".utf8) {
      guard let name = values["Name"], values["Path"] != nil, !name.isEmpty, Self.isText(name) else {
        problems.append("\(path.printable()) has a profile without a name or path: \(group.quoted)")
        continue
      }
      profiles.append(BrowserProfile(name: name, key: name))
    }
    return profiles
  }

  /// Whether it can be an argument and be displayed.
  private static func isText(_ name: String) -> Bool {
    name.utf8.count <= 500 && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }
}
