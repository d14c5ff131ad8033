import MSAuth
import MSAuthCore
import MSAuthUnix

extension ConfigurationFile {
  /// The layers of this file and the system file with a profile, lowest first; the last one is this file's.
  func layers(of profile: String?, isSystemDefault: Bool, above system: ConfigurationFile) -> [Layer] {
    let profiles = profile.map { name in [system, self].map { $0.profiles[name] ?? [:] } } ?? []
    return [system.layer] + (isSystemDefault ? profiles + [layer] : [layer] + profiles)
  }

  /// The layers for a profile, or for the default one of the system file.
  func layers(of profile: String?, above system: ConfigurationFile) -> [Layer] {
    let shared = layer["profile"] == nil ? system.layer.string("profile")?.value : nil
    return layers(of: profile ?? shared, isSystemDefault: profile == nil, above: system)
  }
}

extension Collection<Layer> {
  /// The layers merged, each over the ones before it.
  var merged: Layer { reduce([:]) { $1.over($0) } }
}

extension Sourced<String> {
  /// Whether the name stands for no profile, unless a profile has it.
  var meansNoProfile: Bool { value == "default" }

  /// The error of a profile's name that is unknown.
  func missingProfile(in path: String, known: some Sequence<String>) -> AuthenticationError {
    let names = Set(known).sorted().joined(separator: ", ")
    let list: Hint = names.isEmpty ? "that file has no profiles" : "its profiles are \(names)"
    let isDefault = if case .file(let location) = source { location.file != FileLocation.systemFile } else { false }
    let removal: Hint = "\(list); to use no profile, run \(action: .removeKey("profile"), or: "remove it")"
    let hint = isDefault ? removal : list
    return error("isn't a profile of \(path.printable())", reason: "profile_missing", hint: hint)
  }
}
