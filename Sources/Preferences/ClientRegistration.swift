import FoundationEssentials
package import MSAuth
import MSAuthCore

/// A client ID and where it is registered.
package struct ClientRegistration: Sendable {
  package var clientID: String
  /// A Microsoft tenant or audience in the public cloud.
  package var tenant: String?
  package var authority: String?
  package var authorityType: String?
  package var caFile: String?

  /// Makes a registration at a tenant, an issuer or the address of a discovery document.
  package init(clientID: String, at place: String, authorityType: String? = nil) {
    self.clientID = clientID
    self.authorityType = authorityType
    if place.utf8.contains(UInt8(ascii: "/")) || place.utf8.contains(UInt8(ascii: ":")) {
      // A discovery document's address begins with the issuer (OpenID Connect Discovery §4).
      let suffix = "/.well-known/openid-configuration"
      let url = place.hasSuffix(suffix) ? String(place.dropLast(suffix.count)) : place
      authority = url.firstRange(of: "://") == nil ? "https://\(url)" : url
    } else {
      tenant = place
    }
  }

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
    let flags = ["client_id": clientID, "tenant": tenant, "authority": authority, "authority_type": authorityType]
    return Layer(flags: flags.compactMapValues(\.self))
  }

  func entered(into members: JSONValue.Object, own: Layer, base: Layer) throws -> JSONValue.Object {
    var members = members
    let wanted = try layer.chosenAuthority()
    let present = own.over(base)
    let isSameClient = present.string("client_id")?.value == clientID
    let isSamePlace = (try? present.chosenAuthority()) == wanted
    if !isSameClient || own["client_id"] == nil { members["client_id"] = .string(clientID) }
    let isSaid = own["authority"] != nil || own["authorities"] != nil || own["tenant"] != nil
    if !isSamePlace || !isSaid {
      for key in ["authority", "authorities", "authority_type", "tenant"] { members[key] = nil }
      // A profile's tenant belongs to the authority of the file.
      let isTenantEnough = base["authority"] == nil && base["authorities"] == nil && authorityType == nil
      if let tenant, isTenantEnough {
        members["tenant"] = .string(tenant)
      } else {
        members["authority"] = .string(wanted.url)
      }
      if let authorityType { members["authority_type"] = .string(authorityType) }
    }
    if let caFile { members["ca_file"] = .string(caFile) }
    // A secret belongs to one client ID and authority.
    if !isSameClient || !isSamePlace { members["client_secret"] = nil }
    return members
  }
}
