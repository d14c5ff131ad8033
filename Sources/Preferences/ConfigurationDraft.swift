package import Core
import FoundationEssentials
import Glibc
package import MSAuth
import Unix

/// A configuration file with a registration entered into it, before it is written.
///
/// What this version does not know, and what it need not change, stays as it was.
package struct ConfigurationDraft: Sendable {
  /// A key whose value changes.
  package struct Change: Sendable, Equatable {
    /// The key, such as `profiles.work.client_id`.
    package let key: String
    /// The value before; nil where there was none.
    package let old: JSON?
    /// The value from now on; nil where it is taken out.
    package let new: JSON?
  }

  /// The file.
  package let path: String
  /// Whether there is no such file yet.
  package let isNew: Bool
  /// What changes, in the order of the keys.
  package let changes: [Change]
  private let members: JSON.Object

  /// Whether the change takes something away that the file says now.
  package var replaces: Bool { changes.contains { $0.old != nil } }

  /// Reads the file, if there is one, and enters the registration.
  ///
  /// - Parameters:
  ///   - registration: What to enter.
  ///   - profile: The profile to enter it into; nil for the file's own keys.
  ///   - path: The file; nil for the standard one, or the one that `MSAUTH_CONFIG` names.
  ///   - environment: The process's environment.
  /// - Throws: ``AuthenticationError`` when there is a file that cannot be used.
  package init(
    entering registration: ClientRegistration,
    profile: String?,
    path: String?,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    let variable = try Layer(environment: environment).config?.value
    let path = try path ?? variable ?? ClientConfiguration.standardFile(environment: environment)
    // It must be right as a whole: a wrong file is not made worse.
    let file = try ConfigurationFile(path: path, isOptional: true)
    let members = try ConfigurationFile.members(path: path, isOptional: true)
    self.path = path
    isNew = members == nil

    var whole = members ?? JSON.Object()
    var profiles = whole["profiles"]?.object ?? JSON.Object()
    let before = profile.map { profiles[$0]?.object ?? JSON.Object() } ?? whole
    let own = profile.map { file.profiles[$0] ?? Layer() } ?? file.layer
    let after = try registration.entered(into: before, own: own, base: profile == nil ? Layer() : file.layer)
    let prefix = profile.map { "profiles.\($0.printable(limit: 80))." } ?? ""
    changes = Set(before.keys + after.keys).sorted().compactMap { key in
      before[key] == after[key] ? nil : Change(key: prefix + key, old: before[key], new: after[key])
    }
    if let profile {
      profiles[profile] = .object(after)
      whole["profiles"] = .object(profiles)
    } else {
      whole = after
    }
    self.members = whole
  }

  /// Makes sure that the file could be written, before anybody is asked anything.
  ///
  /// - Throws: ``AuthenticationError`` that names the directory.
  package func checkWritable() throws {
    // A file behind a symbolic link is written where it lies.
    let target = realpath(path, nil)
    defer { free(target) }
    let directory = (target.map { String(cString: $0) } ?? path).parentDirectory.nearestExisting
    guard access(directory, W_OK | X_OK) == 0 else { throw Self.unwritten(FileError(.system(errno), directory)) }
  }

  private static func unwritten(_ error: FileError) -> AuthenticationError {
    let remedy =
      error.remedy ?? .advice("check who may write there: ls -ld \(error.path.printable()); nothing was written")
    return ConfigurationFile.wrong(error.path, error.what, remedy: remedy)
  }

  /// Writes the file, mode 0600, in one step; the directory is made if there is none.
  ///
  /// A file that says something else is kept beside it.
  ///
  /// - Throws: ``AuthenticationError`` when it cannot be written.
  /// - Returns: The path of the file as it was; nil when nothing in it was replaced.
  package func write() throws -> String? {
    do throws(FileError) {
      try PrivateDirectory(of: path).create()
      let backup = replaces ? try keepCopy(of: path) : nil
      try replaceFile(at: path, with: JSON.object(members).serialized(.pretty) + [UInt8(ascii: "\n")])
      return backup
    } catch {
      throw Self.unwritten(error)
    }
  }
}

/// A client ID and where it is registered.
package struct ClientRegistration: Sendable {
  /// The application (client) ID.
  package var clientID: String
  /// Microsoft's tenant or audience in the public cloud, if that says where.
  package var tenant: String?
  /// The authority otherwise.
  package var authority: String?
  /// The kind of authority, where its URL does not show it.
  package var authorityType: String?
  /// A file of trusted certificate authorities, if the system's do not do.
  package var caFile: String?

  /// Reads what a person says.
  ///
  /// - Parameters:
  ///   - clientID: The application (client) ID.
  ///   - place: A tenant, or the URL of an authority or issuer, perhaps without its scheme.
  ///   - authorityType: The kind of authority, where its URL does not show it.
  package init(clientID: String, at place: String, authorityType: String? = nil) {
    self.clientID = clientID
    self.authorityType = authorityType
    if place.utf8.contains(UInt8(ascii: "/")) || place.utf8.contains(UInt8(ascii: ":")) {
      authority = place.utf8.starts(with: "http".utf8) && place.contains("://") ? place : "https://\(place)"
    } else {
      tenant = place
    }
  }

  /// The settings that the registration makes alone.
  ///
  /// - Parameter environment: The process's environment; its settings of msauth are not read.
  /// - Throws: ``AuthenticationError`` when the tenant or the authority is none.
  /// - Returns: A configuration without a store.
  package func configuration(environment: [String: String] = ProcessInfo.processInfo.environment) throws
    -> ClientConfiguration
  {
    var configuration = ClientConfiguration(
      clientID: clientID,
      authority: try layer.registeredAuthority(),
      environment: environment
    )
    configuration.store = .memory
    let variable = environment["MSAUTH_CA_FILE"]
    configuration.http.caFile = caFile ?? (variable?.isEmpty == false ? variable : nil)
    return configuration
  }

  private var layer: Layer {
    var flags = ["client_id": clientID]
    flags["tenant"] = tenant
    flags["authority"] = authority
    flags["authority_type"] = authorityType
    return Layer(flags: flags)
  }

  /// The members with this registration instead of another one.
  ///
  /// - Parameters:
  ///   - members: What the file or the profile has.
  ///   - own: The same, decoded.
  ///   - base: What counts below it.
  /// - Throws: ``AuthenticationError`` when the tenant or the authority is none.
  /// - Returns: The members to write.
  fileprivate func entered(into members: JSON.Object, own: Layer, base: Layer) throws -> JSON.Object {
    var members = members
    let wanted = try layer.registeredAuthority()
    let present = own.over(base)
    let isSameClient = present.clientID?.value == clientID
    let isSamePlace = (try? present.registeredAuthority()) == wanted
    if !isSameClient || own.clientID == nil { members["client_id"] = .string(clientID) }
    let isSaid = own.authority != nil || own.authorities != nil || own.tenant != nil
    if !isSamePlace || !isSaid {
      for key in ["authority", "authorities", "authority_type", "tenant"] { members[key] = nil }
      // In a profile, a tenant would be one of the authority that the file names.
      let isTenantEnough = base.authority == nil && base.authorities == nil && authorityType == nil
      if let tenant, isTenantEnough {
        members["tenant"] = .string(tenant)
      } else {
        members["authority"] = .string(wanted.url)
      }
      if let authorityType { members["authority_type"] = .string(authorityType) }
    }
    if let caFile { members["ca_file"] = .string(caFile) }
    // A secret belongs to the client ID and the authority that it stood beside.
    if !isSameClient || !isSamePlace { members["client_secret"] = nil }
    return members
  }
}

extension Layer {
  /// The authority that the layer names, for a registration.
  fileprivate func registeredAuthority() throws -> Authority { try authority(known: knownAuthorities()) }
}
