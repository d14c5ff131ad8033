import MSAuth
import MSAuthCore

/// The layers merged: flags over environment over profile over file over the computer's file.
///
/// A default profile that only the computer's file names is below the user's file.
struct Layers {
  /// The configuration file, which need not exist.
  let file: String
  let merged: Layer
  /// The layers up to the one that has the client secret, merged.
  private let besideSecret: Layer

  init(_ flags: Layer, environment: [String: String]) throws {
    var variables = try Layer(environment: environment)
    for name in OuterCommand.replaced(by: flags.keys, in: environment) { variables[name] = nil }
    let config = flags.over(variables).string("config")?.value
    let path = try config ?? ClientConfiguration.standardFile(environment: environment)
    let file = try ConfigurationFile(path: path, isOptional: config == nil)
    try self.init(flags, variables, file, at: path, above: .ofSystem())
  }

  init(
    _ flags: Layer,
    _ variables: Layer,
    _ file: ConfigurationFile,
    at path: String,
    above system: ConfigurationFile = ConfigurationFile()
  ) throws {
    let given = flags.over(variables)
    // An empty name chooses none, not the default one.
    let chosen = given.string("profile") ?? file.layer.string("profile")
    let profile = (chosen ?? system.layer.string("profile")).flatMap { $0.value.isEmpty ? nil : $0 }
    let profiles = try profile.map { try [system, file].profile($0, path: path) } ?? []
    let written = [system.layer] + (chosen == nil ? profiles + [file.layer] : [file.layer] + profiles)
    for layer in [flags, variables] + written.reversed() { try layer.checkAuthority() }
    self.file = path
    /// The layers up to the highest one that has the key, merged.
    func beside(_ key: String) -> Layer { written[...(written.lastIndex { $0[key] != nil } ?? 0)].merged }
    besideSecret = beside("client_secret")
    var merged = given.over(written.merged)
    merged["profile"] = profile.map { Sourced(.string($0.value), $0.source) }
    // Another provider's tokens must not be sent to the API in the file.
    if case .file? = merged["graph_endpoint"]?.source, let actual = try? merged.chosenAuthority() {
      let intended = try? beside("graph_endpoint").chosenAuthority()
      if intended?.isOfSameProvider(as: actual) != true { merged["graph_endpoint"] = nil }
    }
    self.merged = merged
  }

  /// Whether the client secret belongs to this registration; it is sent nowhere else.
  func secretBelongs(to application: ClientConfiguration) -> Bool {
    besideSecret.string("client_id")?.value == application.clientID
      && (try? besideSecret.chosenAuthority()) == application.authority
  }
}

extension Collection<Layer> {
  /// The layers merged, each over the ones before it.
  fileprivate var merged: Layer { reduce([:]) { $1.over($0) } }
}

extension [ConfigurationFile] {
  /// The profile in each file that has it.
  fileprivate func profile(_ name: Sourced<String>, path: String) throws -> [Layer] {
    let found = compactMap { $0.profiles[name.value] }
    if !found.isEmpty || name.meansNoProfile { return found }
    throw name.missingProfile(in: path, known: flatMap(\.profiles.keys))
  }
}

extension Sourced<String> {
  /// Whether this profile is none, unless one has that name.
  var meansNoProfile: Bool { value == "default" }

  /// The error of a name that no profile has.
  func missingProfile(in path: String, known: some Sequence<String>) -> AuthenticationError {
    let names = Set(known).sorted().joined(separator: ", ")
    let list: Hint = names.isEmpty ? "that file has no profiles" : "its profiles are \(names)"
    let isDefault = if case .file(let location) = source { location.file != FileLocation.systemFile } else { false }
    return refused(
      "isn't a profile of \(path.printable())",
      reason: "profile_missing",
      hint: isDefault ? "\(list); to choose none, run \(setting: "config_unset", "profile", or: "remove it")" : list
    )
  }
}
