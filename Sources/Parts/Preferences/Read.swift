import MSAuth
import MSAuthCore
import MSAuthDesktop
import MSAuthOAuth
import MSAuthUnix

/// Reads values of the configuration file; the error of a wrong one names file and key.
enum Read {
  static func string(_ value: JSONValue, _ source: Source) throws -> String {
    guard let string = value.string else { throw source.error("must be a string") }
    guard !string.isEmpty else { throw source.error("is empty") }
    return string
  }

  static func bool(_ value: JSONValue, _ source: Source) throws -> Bool {
    guard let bool = value.bool else { throw source.error("must be true or false") }
    return bool
  }

  static func strings(_ value: JSONValue, _ source: Source) throws -> [String] {
    guard let list = value.array else { throw source.error("must be a list of strings") }
    return try list.map { try string($0, source) }
  }

  static func scopes(_ value: JSONValue, _ source: Source) throws -> [String] {
    let names = try strings(value, source)
    do throws(Failure) {
      _ = try Scopes(names)
    } catch {
      throw source.error("can't be used: \(error.message)")
    }
    return names
  }

  /// One string with commas, as MSAL for Android has it.
  static func capabilities(_ value: JSONValue, _ source: Source) throws -> [String] {
    try string(value, source).split(separator: ",").map { part in
      let name = part.trimmingPrefix { $0 == " " }
      guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
        throw source.error("must be a list such as \"CP1\"")
      }
      return String(name)
    }
  }

  static func accountMode(_ value: JSONValue, _ source: Source) throws -> ClientConfiguration.AccountMode {
    switch value.string?.uppercased() {
    case "SINGLE": return .single
    case "MULTIPLE": return .multiple
    default: throw source.error("must be SINGLE or MULTIPLE")
    }
  }

  static func appearance(_ value: JSONValue, _ source: Source) throws -> ClientConfiguration.Appearance {
    let members = try source.members(of: value, ["logo", "accent_color"])
    let color = try members.read("accent_color", string)
    if let color, (try? ClientConfiguration.Appearance(accentColor: color.value)) == nil {
      throw color.source.error("isn't a color such as #23497f", value: color.value)
    }
    let logo = try members.read("logo", string).map { $0.source.path(of: $0.value) }
    return try ClientConfiguration.Appearance(logo: logo, accentColor: color?.value)
  }

  static func browser(_ value: JSONValue, _ source: Source) throws -> String {
    let command = try string(value, source)
    guard SystemBrowser.isCommand(command) else {
      throw source.error("contains no program, or an unclosed quote", value: command)
    }
    return command
  }

  static func mcp(_ value: JSONValue, _ source: Source) throws -> [String: MCPServerSettings] {
    guard let servers = value.object else { throw source.error("must be an object") }
    return try servers.sorted.reduce(into: [:]) { all, server in
      let source = source.member(server.key)
      guard let url = try? WebURL(server.key, .endpoint) else { throw source.error("isn't the URL of a server") }
      guard all[url.string] == nil else { throw source.error("is another spelling of an earlier entry's URL") }
      let members = try source.members(of: server.value, ["client_id", "scopes", "profile"])
      all[url.string] = MCPServerSettings(
        clientID: try members.read("client_id", string)?.value,
        scopes: try members.read("scopes", scopes)?.value,
        profile: try members.read("profile", string)?.value
      )
    }
  }

  static func timeout(_ value: JSONValue, _ source: Source) throws -> Double {
    let maximum = WaitingTime.maximum.components.seconds
    guard let seconds = value.double, seconds > 0, seconds <= Double(maximum) else {
      throw source.error("must be more than 0 and at most \(maximum) seconds")
    }
    return seconds
  }

  /// The entries of MSAL's `authorities`, first the one to sign in at: the one marked `default`, or the only one.
  static func authorities(_ value: JSONValue, _ source: Source) throws -> [Layer] {
    guard let list = value.array, !list.isEmpty else { throw source.error("must be a list of one or more authorities") }
    var entries = try list.enumerated().map { index, entry in try authority(entry, source.member("[\(index)]")) }
    let marked = entries.firstIndex { $0["default"]?.value == true }
    guard let index = marked ?? (entries.count == 1 ? 0 : nil) else {
      throw source.error("has several authorities, but none with \"default\": true")
    }
    entries.insert(entries.remove(at: index), at: 0)
    return entries
  }

  private static func authority(_ value: JSONValue, _ source: Source) throws -> Layer {
    var members = try source.members(of: value, ["type", "authority_url", "default", "audience"])
    for name in ["type", "authority_url"] { _ = try members.read(name, string) }
    _ = try members.read("default", bool)
    if let tenant = try members.read("audience", tenant), members["authority_url"] == nil {
      members["authority_url"] = tenant.map { .string("https://login.microsoftonline.com/\($0)") }
    }
    return members
  }

  private static func tenant(_ value: JSONValue, _ source: Source) throws -> String {
    let members = try source.members(of: value, ["type", "tenant_id"])
    let tenant = try members.read("tenant_id", string)
    // It becomes a part of a URL.
    if let tenant, (try? Authority.microsoftCommon.inTenant(tenant.value)) == nil {
      throw tenant.source.error("must be a tenant's ID or domain, such as contoso.onmicrosoft.com")
    }
    switch try members.read("type", string)?.value {
    case "AzureADMyOrg":
      if let tenant { return tenant.value }
      throw source.error("has no tenant_id, which AzureADMyOrg requires")
    case "AzureADMultipleOrgs": return "organizations"
    case "PersonalMicrosoftAccount": return "consumers"
    case "AzureADandPersonalMicrosoftAccount", nil: return tenant?.value ?? "common"
    default: throw source.member("type").error("must be one of MSAL's audiences")
    }
  }
}
