import Core
import FoundationEssentials
import MSAuth

/// What each source says, and what counts of it: flag over environment over profile over file over the program's own.
struct Layers {
  /// The configuration file, which need not exist.
  let file: String
  /// What counts.
  let merged: Layer
  /// What the file and the profile say where the client secret stands.
  private let besideSecret: Layer

  /// Reads environment and file.
  init(_ flags: Layer, defaults: Layer, environment: [String: String]) throws {
    let variables = try Layer(environment: environment)
    let given = flags.over(variables)
    let path = try given.config?.value ?? ClientConfiguration.standardFile(environment: environment)
    let file = try ConfigurationFile(path: path, isOptional: given.config == nil)
    try self.init(flags, variables, file, at: path, defaults: defaults)
  }

  /// Merges what the sources say.
  init(_ flags: Layer, _ variables: Layer, _ file: ConfigurationFile, at path: String, defaults: Layer) throws {
    let given = flags.over(variables)
    let profile = try given.profile.map { try file.profile($0, path: path) } ?? Layer()
    for layer in [flags, variables, profile, file.layer] { try layer.checkAuthority() }
    self.file = path
    let written = profile.over(file.layer).over(defaults)
    /// What stands beside a key of the profile, or of the file where the profile does not have it.
    func beside(_ isInProfile: Bool) -> Layer { isInProfile ? written : file.layer.over(defaults) }
    besideSecret = beside(profile.clientSecret != nil)
    var merged = given.over(written)
    // An API takes the tokens of the provider that stands beside it; another one's would be given away there.
    if case .file? = merged.graphEndpoint?.source, let actual = try? merged.chosenAuthority() {
      let meant = try? beside(profile.graphEndpoint != nil).chosenAuthority()
      if meant?.isOfSameProvider(as: actual) != true { merged.graphEndpoint = nil }
    }
    self.merged = merged
  }

  /// Whether the client secret is for this registration: it belongs to the client ID and the authority that stand beside
  /// it, and is sent nowhere else.
  func secretIsMeant(for application: ClientConfiguration) -> Bool {
    besideSecret.clientID?.value == application.clientID
      && (try? besideSecret.chosenAuthority()) == application.authority
  }
}

extension ConfigurationFile {
  fileprivate func profile(_ name: Sourced<String>, path: String) throws -> Layer {
    if let profile = profiles[name.value] { return profile }
    let known = profiles.keys.sorted().joined(separator: ", ")
    throw name.refused(
      "is not a profile of \(path.printable())",
      reason: "profile_missing",
      hint: known.isEmpty ? "that file has no profiles" : "it has \(known)"
    )
  }
}
