import MSAuth
import MSAuthCore
import MSAuthDesktop
import MSAuthOAuth
import MSAuthUnix

/// Readers of values; the error of a wrong one names its source.
extension Sourced<JSONValue> {
  func sourcedString() throws -> Sourced<String> {
    guard let string = map(\.string) else { throw source.error("must be a string") }
    guard !string.value.isEmpty else { throw source.error("is empty") }
    return string
  }

  func string() throws -> String { try sourcedString().value }

  func path() throws -> String { source.path(of: try string()) }

  func bool() throws -> Bool {
    guard let bool = value.bool else { throw source.error("must be true or false") }
    return bool
  }

  func strings() throws -> [String] {
    guard let list = value.array, list.allSatisfy({ $0.string != nil }) else {
      throw source.error("must be a list of strings")
    }
    return try list.map { try Sourced($0, source).string() }
  }

  func scopes() throws -> [String] {
    let names = try strings()
    do throws(AuthenticationError) {
      _ = try Scopes(names)
    } catch {
      throw source.error("can't be used: \(error.message)")
    }
    return names
  }

  /// The hosts of registries in the form in which they are compared.
  func registries() throws -> [String] {
    try strings().map { name in
      guard let url = try? WebURL("https://" + name), ["", "/"].contains(url.path), url.query == nil else {
        throw source.error("isn't a registry's host, such as registry.example.com", value: name)
      }
      return url.hostAndWrittenPort
    }
  }

  /// One string with commas, as MSAL for Android has it.
  func capabilities() throws -> [String] {
    try string().split(separator: ",").map { part in
      let names = part.split(separator: " ")
      guard names.count == 1, names[0].utf8.allSatisfy(\.isASCIIAlphanumeric) else {
        throw source.error("must be a list such as \"CP1\"")
      }
      return String(names[0])
    }
  }

  func accountMode() throws -> ClientConfiguration.AccountMode {
    let name = try sourcedString()
    let mode = ClientConfiguration.AccountMode(rawValue: name.value.uppercased())
    return try name.choice(mode, reason: "configuration_file")
  }

  func brokerUse() throws -> ClientConfiguration.BrokerUse {
    let name = try sourcedString()
    return try name.choice(ClientConfiguration.BrokerUse(rawValue: name.value), reason: "configuration_file")
  }

  func appearance() throws -> ClientConfiguration.Appearance {
    let members = try members(named: ["logo", "accent_color"])
    let color = try members["accent_color"]?.sourcedString()
    if let color, (try? ClientConfiguration.Appearance(accentColor: color.value)) == nil {
      throw color.source.error("isn't a color such as #23497f", value: color.value)
    }
    return try ClientConfiguration.Appearance(logo: members["logo"]?.path(), accentColor: color?.value)
  }

  func browser() throws -> String {
    let command = try string()
    guard SystemBrowser.isCommand(command) else {
      throw source.error("contains no program, or an unclosed quote", value: command)
    }
    return command
  }

  func timeout() throws -> Double {
    let maximum = Interaction.maximumTimeout
    let given = value.double ?? value.string.flatMap(Settings.seconds)
    guard let seconds = given, seconds > 0, seconds <= Double(maximum.components.seconds) else {
      throw source.error(Settings.durationRule(upTo: maximum, not: value.string ?? value.serializedString()))
    }
    return seconds
  }

  func documentURL() throws -> String {
    let url = try string()
    guard (try? WebURL(url))?.isSecure == true else { throw source.error("must be an https URL") }
    return url
  }

  func servers() throws -> [String: Settings.ServerEntry] {
    guard let servers = value.object else { throw source.error("must be an object") }
    return try servers.sorted.reduce(into: [:]) { all, member in
      let server = Sourced(member.value, source.member(member.key))
      guard let url = try? WebURL(member.key, .endpoint) else { throw server.source.error("isn't the URL of a server") }
      guard all[url.string] == nil else {
        throw server.source.error("is another spelling of an earlier entry's URL")
      }
      let members = try server.members(named: ["client_id", "scopes", "profile"])
      all[url.string] = Settings.ServerEntry(
        clientID: try members["client_id"]?.string(),
        scopes: try members["scopes"]?.scopes(),
        profile: try members["profile"]?.string()
      )
    }
  }

  /// The servers of two layers, with the upper one's source; its entry is used if both have the URL.
  func adding(_ lower: Self) -> Self {
    guard var servers = value.object, let others = lower.value.object else { return self }
    func url(_ name: String) -> String { (try? WebURL(name, .endpoint))?.string ?? name }
    let known = Set(servers.keys.map(url))
    for (name, entry) in others where !known.contains(url(name)) { servers[name] = entry }
    return Self(.object(servers), source)
  }

  /// The entries of MSAL's `authorities`, first the one to sign in at: the one marked `default`, or the only one.
  func authorities() throws -> [Layer] {
    guard let list = value.array, !list.isEmpty else { throw source.error("must be a list of one or more authorities") }
    var entries = try list.enumerated().map { index, entry in
      try Sourced(entry, source.member("[\(index)]")).authority()
    }
    let marked = entries.firstIndex { $0["default"]?.value == true }
    guard let index = marked ?? (entries.count == 1 ? 0 : nil) else {
      throw source.error("has several authorities, but none with \"default\": true")
    }
    entries.insert(entries.remove(at: index), at: 0)
    return entries
  }

  private func authority() throws -> Layer {
    var members = try members(named: ["type", "authority_url", "default", "audience"])
    for name in ["type", "authority_url"] { _ = try members[name]?.string() }
    _ = try members["default"]?.bool()
    if let audience = members["audience"] {
      let url: JSONValue = .string("https://\(Authority.Cloud.public.host)/\(try audience.tenant())")
      members["authority_url"] = members["authority_url"] ?? Sourced(url, audience.source)
    }
    return members
  }

  private func tenant() throws -> String {
    let members = try members(named: ["type", "tenant_id"])
    let tenant = try members["tenant_id"]?.sourcedString()
    if let tenant, Authority.microsoftCommon.inNamedTenant(tenant.value) == nil {
      throw tenant.source.error("must be a tenant's ID or domain, such as contoso.onmicrosoft.com")
    }
    switch try members["type"]?.string() {
    case "AzureADMyOrg":
      if let tenant { return tenant.value }
      throw source.error("has no tenant_id, which AzureADMyOrg requires")
    case "AzureADMultipleOrgs": return "organizations"
    case "PersonalMicrosoftAccount": return "consumers"
    case "AzureADandPersonalMicrosoftAccount", nil: return tenant?.value ?? "common"
    default: throw source.member("type").error("must be one of MSAL's audiences")
    }
  }

  /// The members of an object that has no others.
  private func members(named names: [String]) throws -> Layer {
    guard let members = value.object else { throw source.error("must be an object") }
    return try members.sorted.reduce(into: [:]) { layer, member in
      let source = source.member(member.key)
      guard names.contains(where: { $0.isIdentical(to: member.key) }) else {
        throw source.unknownKey(named: member.key, among: names)
      }
      layer[member.key] = Sourced(member.value, source)
    }
  }
}
