import FoundationEssentials
package import MSAuth
import MSAuthCore

/// A client ID, unless it is yet to be chosen, and where it is registered.
package struct ClientRegistration: Sendable {
  /// As typed or pasted, before it is normalized.
  package var clientIDText: String?
  /// A Microsoft tenant or audience in the public cloud.
  package var tenant: String?
  package var authority: String?
  package var authorityType: String?
  package var caFile: String?
  package var redirectURI: String?
  /// What messages call the tenant and the authority.
  package var names = (tenant: "--tenant", authority: "--authority")

  /// Creates a registration at a tenant, an issuer or the address of a discovery document, as users paste them.
  package init(clientID: String? = nil, at provider: String, authorityType: String? = nil) {
    clientIDText = clientID
    self.authorityType = authorityType
    let provider = provider.pastedID
    if provider.utf8.contains(where: "/:".utf8.contains) {
      authority = provider
    } else {
      tenant = provider
    }
  }

  package var clientID: String? { layer.string("client_id")?.value ?? clientIDText }

  package func configuration() throws -> ClientConfiguration {
    let environment = ProcessInfo.processInfo.environment
    let authority = try layer.chosenAuthority()
    var configuration = ClientConfiguration(clientID: clientID ?? "", authority: authority, environment: environment)
    configuration.store = .memory
    configuration.http.caFile = try caFile ?? Layer(environment: environment).string("ca_file")?.value
    return configuration
  }

  private var layer: Layer {
    var layer = Layer(flags: ["client_id": clientIDText, "authority_type": authorityType].compactMapValues(\.self))
    layer["tenant"] = tenant.map { Sourced(.string($0), .flag(names.tenant)) }
    layer["authority"] = authority.map { Sourced(.string($0), .flag(names.authority)) }
    return layer
  }

  /// Enters the registration into the members of the file or a profile, whose settings are `layer`, above those of `base`.
  func enter(into members: inout JSONValue.Object, layer current: Layer, base: Layer) throws {
    let authority = try layer.chosenAuthority()
    let present = current.over(base)
    let isSameClient = present.string("client_id")?.value == clientID
    let isSameAuthority = (try? present.chosenAuthority()) == authority
    if let clientID { members["client_id"] = .string(clientID) }
    let hasAuthority = ["authority", "authorities", "tenant"].contains { current[$0] != nil }
    if !isSameAuthority || !hasAuthority {
      for key in ["authority", "authorities", "authority_type", "tenant"] { members[key] = nil }
      // A tenant belongs to the authority below it.
      let isTenantEnough = base["authority"] == nil && base["authorities"] == nil && authorityType == nil
      if let tenant, isTenantEnough {
        members["tenant"] = .string(tenant)
      } else {
        members["authority"] = .string(authority.url)
      }
      if let authorityType { members["authority_type"] = .string(authorityType) }
    }
    if let caFile { members["ca_file"] = .string(caFile) }
    if let redirectURI { members["redirect_uri"] = .string(redirectURI) }
    guard !isSameClient || !isSameAuthority else { return }
    // A secret and a redirect URI belong to one client ID and authority.
    members["client_secret"] = nil
    // A redirect URI that was set before any client ID is for this one.
    if redirectURI == nil, present["client_id"] != nil { members["redirect_uri"] = nil }
  }
}
