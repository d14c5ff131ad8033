import Core
import FoundationEssentials
package import MSAuth

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
  package init(clientID: String, at place: String, authorityType: String? = nil) {
    self.clientID = clientID
    self.authorityType = authorityType
    if place.utf8.contains(UInt8(ascii: "/")) || place.utf8.contains(UInt8(ascii: ":")) {
      // The address of a provider's metadata document begins with its issuer (OpenID Connect Discovery §4).
      let suffix = "/.well-known/openid-configuration"
      let url = place.hasSuffix(suffix) ? String(place.dropLast(suffix.count)) : place
      authority = url.firstRange(of: "://") == nil ? "https://\(url)" : url
    } else {
      tenant = place
    }
  }

  /// The settings that the registration makes alone.
  package func configuration(environment: [String: String] = ProcessInfo.processInfo.environment) throws
    -> ClientConfiguration
  {
    var configuration = ClientConfiguration(
      clientID: clientID,
      authority: try layer.chosenAuthority(),
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
  func entered(into members: JSON.Object, own: Layer, base: Layer) throws -> JSON.Object {
    var members = members
    let wanted = try layer.chosenAuthority()
    let present = own.over(base)
    let isSameClient = present.clientID?.value == clientID
    let isSamePlace = (try? present.chosenAuthority()) == wanted
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
