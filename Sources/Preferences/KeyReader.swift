import FoundationEssentials
import MSAuth
import OAuth
import Core

/// Reads the keys of one object of the configuration file; an unknown key or a wrong type is an error that names it.
struct KeyReader {
  private let members: JSON.Object
  private let path: String
  private let prefix: String

  init(_ members: JSON.Object, in path: String, at prefix: String) {
    self.members = members
    self.path = path
    self.prefix = prefix
  }

  func settings() throws -> FileSettings {
    var settings = FileSettings()
    // In the order of their names, so that of two mistakes the same one is told each time.
    for (key, value) in members.sorted {
      switch key {
      case "client_id": settings.clientID = try text(key, value)
      case "client_secret": settings.clientSecret = try text(key, value)
      case "redirect_uri": settings.redirectURI = try text(key, value)
      case "authorities": (settings.authority, settings.knownAuthorities) = try authorities(key, value)
      case "multiple_clouds_supported": settings.multipleCloudsSupported = try flag(key, value)
      case "client_capabilities":
        // MSAL for Android: one text, with commas.
        settings.clientCapabilities = try text(key, value).split(separator: ",").map { name in
          let word = name.trimmingPrefix { $0 == " " }
          guard !word.isEmpty, word.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            throw wrong(key, "is not a list such as \"CP1\"")
          }
          return String(word)
        }
      case "dpop": settings.usesDPoP = try flag(key, value)
      case "account_mode": settings.singleAccount = try one(of: ["SINGLE", "MULTIPLE"], key, value) == "SINGLE"
      case "shared_device_mode_supported": settings.sharedDeviceSupported = try flag(key, value)
      case "scopes": settings.scopes = try scopes(key, value)
      case "graph_endpoint": settings.graphEndpoint = try text(key, value)
      case "store": settings.store = try text(key, value)
      case "browser": settings.browser = try text(key, value)
      case "timeout":
        guard let seconds = value.double, seconds > 0, seconds <= WaitingTime.longest
        else {
          throw wrong(key, "is not a number of seconds above 0 and up to \(Int(WaitingTime.longest))")
        }
        settings.timeout = seconds
      default: throw unknown(key)
      }
    }
    return settings
  }

  /// The one that is marked `default`, or the only one, and the others (MSAL's `authorities`).
  private func authorities(_ key: String, _ value: JSON) throws -> (FileAuthority, known: [FileAuthority]) {
    guard let list = value.array, !list.isEmpty else { throw wrong(key, "is not a list with an authority in it") }
    var found: [(authority: FileAuthority, isDefault: Bool)] = []
    for (index, entry) in list.enumerated() {
      guard let members = entry.object else { throw wrong("\(key)[\(index)]", "is not an object") }
      found.append(try KeyReader(members, in: path, at: "\(prefix)\(key)[\(index)].").authority())
    }
    guard let chosen = found.firstIndex(where: { $0.isDefault }) ?? (found.count == 1 ? 0 : nil) else {
      throw wrong(key, "has several authorities and none with \"default\": true")
    }
    let authority = found.remove(at: chosen).authority
    return (authority, found.map(\.authority))
  }

  private func authority() throws -> (FileAuthority, Bool) {
    var authority = FileAuthority()
    var isDefault = false
    for (key, value) in members.sorted {
      switch key {
      case "type": authority.type = try text(key, value)
      case "authority_url": authority.url = try text(key, value)
      case "default": isDefault = try flag(key, value)
      case "audience":
        guard let members = value.object else { throw wrong(key, "is not an object") }
        authority.tenant = try KeyReader(members, in: path, at: "\(prefix)\(key).").tenant()
      default: throw unknown(key)
      }
    }
    return (authority, isDefault)
  }

  private func tenant() throws -> String {
    var type: String?
    var tenant: String?
    for (key, value) in members.sorted {
      switch key {
      case "type": type = try text(key, value)
      case "tenant_id": tenant = try text(key, value)
      default: throw unknown(key)
      }
    }
    switch type {
    case "AzureADMyOrg":
      guard let tenant else { throw wrong("tenant_id", "is missing, though the audience is AzureADMyOrg") }
      return try whole(tenant)
    case "AzureADMultipleOrgs": return "organizations"
    case "PersonalMicrosoftAccount": return "consumers"
    case "AzureADandPersonalMicrosoftAccount", nil: return try tenant.map(whole) ?? "common"
    default: throw wrong("type", "is not an audience that MSAL knows")
    }
  }

  /// A tenant that is one segment of an address, and not the beginning of another address.
  private func whole(_ tenant: String) throws -> String {
    guard (try? MSAuth.Authority.microsoft(.public, .tenant(tenant))) != nil else {
      throw wrong("tenant_id", "is not a tenant's id or domain, such as contoso.onmicrosoft.com")
    }
    return tenant
  }

  private func text(_ key: String, _ value: JSON) throws -> String {
    guard let text = value.string, !text.isEmpty else { throw wrong(key, "is not a text") }
    return text
  }

  private func flag(_ key: String, _ value: JSON) throws -> Bool {
    guard let flag = value.bool else { throw wrong(key, "is not true or false") }
    return flag
  }

  private func texts(_ key: String, _ value: JSON) throws -> [String] {
    guard let list = value.array else { throw wrong(key, "is not a list of texts") }
    return try list.map { try text(key, $0) }
  }

  private func scopes(_ key: String, _ value: JSON) throws -> [String] {
    let names = try texts(key, value)
    do throws(OAuthError) {
      _ = try Scopes(names)
    } catch {
      throw wrong(key, "cannot be used: \(error.message)")
    }
    return names
  }

  private func one(of words: [String], _ key: String, _ value: JSON) throws -> String {
    guard let word = value.string?.uppercased(), words.contains(word) else {
      throw wrong(key, "is not \(words.joined(separator: " or "))")
    }
    return word
  }

  private func unknown(_ key: String) -> AuthenticationError {
    ConfigurationFile.wrong(path, "has an unknown key \"\(prefix)\(key.printable(limit: 80))\"")
  }

  private func wrong(_ key: String, _ what: String) -> AuthenticationError {
    ConfigurationFile.wrong(path, "has \"\(prefix)\(key)\" that \(what)")
  }
}
