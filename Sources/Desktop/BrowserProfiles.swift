import Core
import Unix

/// A profile of a browser, and its containers.
struct BrowserProfile: Sendable, Equatable {
  /// The name that the person gave it.
  let name: String
  /// What the browser's command line calls it: a directory's name for Chromium, the name for Firefox.
  let key: String
  /// Firefox's containers, by their names.
  var containers: [String] = []
  /// Whether a program can open an address in a container, which takes an extension.
  var opensContainers = false
}

/// Reads what a browser keeps about its profiles, which is input from outside: bounded, and a wrong file is named.
struct ProfileReader {
  /// More profiles or containers than any person has.
  private static let maximumCount = 200
  private static let maximumSize = 16 << 20

  /// What could not be read, each in a sentence.
  private(set) var problems: [String] = []

  /// Chromium's profiles: the members of `profile.info_cache` in `Local State`.
  mutating func chromium(in directory: String) -> [BrowserProfile] {
    let path = directory.appendingPathComponent("Local State")
    guard let cache = json(path)?["profile"]?["info_cache"]?.object else { return [] }
    var profiles: [BrowserProfile] = []
    for (key, value) in cache.sorted.prefix(Self.maximumCount) {
      // It becomes an argument, and means one directory.
      guard !key.isEmpty, key != ".", key != "..", !key.utf8.contains(UInt8(ascii: "/")), Self.isText(key) else {
        problems.append("\(path.printable()) has a profile in no directory: \(key.quoted)")
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
      problems.append("\(path.printable()) is skipped: it is no list of profiles")
      return []
    }
    var profiles: [BrowserProfile] = []
    for group in file.groups.prefix(Self.maximumCount) where group.name.utf8.starts(with: "Profile".utf8) {
      guard let name = group["Name"], let place = group["Path"], !name.isEmpty, Self.isText(name) else {
        problems.append("\(path.printable()) has a profile without name or path: \(group.name.quoted)")
        continue
      }
      let folder = group["IsRelative"] == "0" ? place : directory.appendingPathComponent(place)
      profiles.append(firefoxProfile(name, in: folder))
    }
    return profiles
  }

  private mutating func firefoxProfile(_ name: String, in folder: String) -> BrowserProfile {
    var profile = BrowserProfile(name: name, key: name)
    let identities = json(folder.appendingPathComponent("containers.json"))?["identities"]?.array ?? []
    for identity in identities.prefix(Self.maximumCount) where identity["public"]?.bool == true {
      guard let name = Self.containerName(identity), !name.isEmpty, Self.isText(name) else { continue }
      profile.containers.append(name)
    }
    guard !profile.containers.isEmpty else { return profile }
    let extensions = json(folder.appendingPathComponent("extensions.json"))?["addons"]?.array ?? []
    profile.opensContainers = extensions.contains { $0["id"]?.string == Self.extensionID && $0["active"]?.bool == true }
    return profile
  }

  /// "Open external links in a container"; Firefox itself has no argument for a container.
  private static let extensionID = "{f069aec0-43c5-4bbf-b6b4-df95c4326b98}"

  /// A container's own name, or the English one of the four that Firefox makes.
  private static func containerName(_ identity: JSON) -> String? {
    if let name = identity["name"]?.string { return name }
    return switch identity["l10nId"]?.string ?? identity["l10nID"]?.string {
    case "user-context-personal", "userContextPersonal.label": "Personal"
    case "user-context-work", "userContextWork.label": "Work"
    case "user-context-banking", "userContextBanking.label": "Banking"
    case "user-context-shopping", "userContextShopping.label": "Shopping"
    default: nil
    }
  }

  /// Whether a program can get it as an argument, and a person can see it as it is.
  private static func isText(_ name: String) -> Bool {
    name.utf8.count <= 500 && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }

  private mutating func json(_ path: String) -> JSON? {
    guard let bytes = bytes(path) else { return nil }
    do {
      // The browsers' own files, which may have a second member of one name.
      return try JSON(
        parsing: bytes,
        options: .init(limits: .init(maximumSize: Self.maximumSize, maximumDepth: 64), isLenient: true)
      )
    } catch {
      problems.append("\(path.printable()) is skipped: \(error)")
      return nil
    }
  }

  /// A file's content; nil where there is none.
  mutating func bytes(_ path: String) -> [UInt8]? {
    do throws(FileError) {
      return try readFile(at: path, limit: Self.maximumSize, requiring: .configuration).bytes
    } catch {
      if error.reason != .missing { problems.append("\(path.printable()) is skipped: it \(error.what)") }
      return nil
    }
  }
}
