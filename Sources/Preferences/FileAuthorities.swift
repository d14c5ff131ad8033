import Core
import MSAuth
import Unix

/// An entry of `authorities`, as far as it was given.
package struct FileAuthority: Sendable {
  package var type: String?
  package var url: String?
  package var tenant: String?

  package init(type: String? = nil, url: String? = nil, tenant: String? = nil) {
    self.type = type
    self.url = url
    self.tenant = tenant
  }
}

/// MSAL's `authorities`: the one to sign in at, and the others, which are trusted too.
package struct FileAuthorities: Sendable {
  package var chosen: FileAuthority
  package var known: [FileAuthority]

  package init(_ chosen: FileAuthority, known: [FileAuthority] = []) {
    self.chosen = chosen
    self.known = known
  }

  /// Reads the list; the entry that is marked `default` is chosen, or the only one.
  init(_ value: JSON, _ source: Source) throws {
    guard let list = value.array, !list.isEmpty else { throw source.error("is not a list with an authority in it") }
    var entries = try list.enumerated().map { index, entry in try Self.entry(entry, source.element(index)) }
    guard let index = entries.firstIndex(where: \.isDefault) ?? (entries.count == 1 ? 0 : nil) else {
      throw source.error("has several authorities and none with \"default\": true")
    }
    let chosen = entries.remove(at: index).authority
    self.init(chosen, known: entries.map(\.authority))
  }

  private static func entry(_ value: JSON, _ source: Source) throws -> (authority: FileAuthority, isDefault: Bool) {
    var authority = FileAuthority()
    var isDefault = false
    try source.eachMember(of: value) { key, value, source in
      switch key {
      case "type": authority.type = try Decode.string(value, source)
      case "authority_url": authority.url = try Decode.string(value, source)
      case "default": isDefault = try Decode.bool(value, source)
      case "audience": authority.tenant = try tenant(value, source)
      default: throw source.unknownKey(named: key, among: ["type", "authority_url", "default", "audience"])
      }
    }
    return (authority, isDefault)
  }

  private static func tenant(_ value: JSON, _ source: Source) throws -> String {
    var type: String?
    var tenant: String?
    try source.eachMember(of: value) { key, value, source in
      switch key {
      case "type": type = try Decode.string(value, source)
      case "tenant_id":
        let id = try Decode.string(value, source)
        // One segment of a URL's path, and not the beginning of another URL.
        guard (try? Authority.microsoft(.tenant(id))) != nil else {
          throw source.error("is not a tenant's ID or domain, such as contoso.onmicrosoft.com")
        }
        tenant = id
      default: throw source.unknownKey(named: key, among: ["type", "tenant_id"])
      }
    }
    switch type {
    case "AzureADMyOrg":
      guard let tenant else {
        throw source.member("tenant_id").error("is missing, though the audience is AzureADMyOrg")
      }
      return tenant
    case "AzureADMultipleOrgs": return "organizations"
    case "PersonalMicrosoftAccount": return "consumers"
    case "AzureADandPersonalMicrosoftAccount", nil: return tenant ?? "common"
    default: throw source.member("type").error("is not an audience that MSAL knows")
    }
  }
}

extension Source {
  /// A member of the value.
  func member(_ name: String) -> Source {
    switch self {
    case .file(let place): .file(place.member(name))
    case .flag(let flag): .flag("\(flag).\(name.printable(limit: 80))")
    case .program, .variable: self
    }
  }

  /// An element of the value.
  func element(_ index: Int) -> Source {
    switch self {
    case .file(let place): .file(place.element(index))
    case .flag(let flag): .flag("\(flag)[\(index)]")
    case .program, .variable: self
    }
  }

  /// The path that a file's value means: relative to the file, not to where the program runs.
  func path(of value: String) -> String {
    guard case .file(let place) = self, !value.isAbsolutePath else { return value }
    return place.file.parentDirectory.appendingPathComponent(value)
  }

  /// Reads an object's members in the order of their names, so that of two mistakes always the same one is reported.
  func eachMember(of value: JSON, _ read: (String, JSON, Source) throws -> Void) throws {
    guard let members = value.object else { throw error("is not an object") }
    for (name, value) in members.sorted { try read(name, value, member(name)) }
  }

  /// The error of a key that is none; it names the key that was probably meant.
  func unknownKey(named name: String, among names: [String]) -> AuthenticationError {
    let advice = nearest(to: name, in: names).map { "did you mean \"\($0)\"?" }
    let hint = Hint(advice ?? "the keys are \(names.joined(separator: ", "))")
    guard case .file(let place) = self else { return error("is an unknown key", hint: hint) }
    return place.wrong("has an unknown key \"\(place.key)\"", hint: hint)
  }
}
