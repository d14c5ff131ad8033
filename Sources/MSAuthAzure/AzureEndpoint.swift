import FoundationEssentials
import MSAuth
import MSAuthCore
import MSAuthLoopback

/// The managed-identity endpoints of Azure SDKs, as requests and responses.
///
/// Every request carries the secret: in a header at App Service's endpoint, in the path where the contract has no header.
package struct AzureEndpoint: Sendable {
  enum Contract: Sendable {
    /// `IDENTITY_ENDPOINT` and `IDENTITY_HEADER`, version 2019-08-01 or 2025-03-30.
    case appService
    /// `MSI_ENDPOINT`, with a form.
    case cloudShell
    /// `AZURE_POD_IDENTITY_AUTHORITY_HOST`, as the metadata service of virtual machines.
    case imds
  }

  struct TokenRequest: Sendable {
    let contract: Contract
    let resource: String
    /// The SHA-256 of an access token that a resource rejected, in hexadecimal digits; from a claims challenge.
    var rejectedDigest: String?
    var scope: String { Scopes.default(of: resource) }
  }

  enum Decision: Sendable {
    case token(TokenRequest)
    case response(LoopbackResponse)
  }

  let secret: Secret
  let clientID: String
  /// The resources that are served; `nil` for all.
  var resources: [String]?
  var servesIMDS = false

  static let version = "2019-08-01"
  /// With `token_sha256_to_refresh`; the response is the same.
  private static let revocationVersion = "2025-03-30"
  private static let paths = (appService: "/msi/token", cloudShell: "/msi", imds: "/metadata/identity/oauth2/token")

  /// The variables of all contracts.
  package static let variables = [
    "IDENTITY_ENDPOINT", "IDENTITY_HEADER", "MSI_ENDPOINT", "AZURE_POD_IDENTITY_AUTHORITY_HOST",
  ]

  /// The variables that make SDKs use the endpoint at this address.
  func variables(at base: String) -> [(name: String, value: String)] {
    let secretBase = "\(base)/\(secret.revealed)"
    let values = [base + Self.paths.appService, secret.revealed, secretBase + Self.paths.cloudShell]
    return zip(Self.variables, values + (servesIMDS ? [secretBase] : [])).map { ($0, $1) }
  }

  func decide(_ request: LoopbackRequest) -> Decision {
    // Browsers add these fields, and pages can't remove them.
    guard !request.headers.contains(where: { $0.name == "origin" || $0.name.hasPrefix("sec-fetch-") }) else {
      return .response(.empty(403))
    }
    guard let contract = contract(of: request) else {
      let error = EndpointError(401, "X-IDENTITY-HEADER, or the secret in the path, is missing or wrong")
      return .response(response(error, .appService))
    }
    do throws(EndpointError) {
      return .token(try tokenRequest(in: request, contract))
    } catch {
      return .response(response(error, contract))
    }
  }

  /// The contract of a request with the right secret.
  private func contract(of request: LoopbackRequest) -> Contract? {
    if request.path.isIdentical(to: Self.paths.appService) {
      let header = request.values(of: "x-identity-header")
      return header.count == 1 && Secret(header[0]) == secret ? .appService : nil
    }
    let first = request.path.utf8.dropFirst().prefix { $0 != UInt8(ascii: "/") }
    guard Secret(String(decoding: first, as: UTF8.self)) == secret else { return nil }
    let rest = request.path.dropFirst(first.count + 1)
    if rest == Self.paths.cloudShell { return .cloudShell }
    return rest == Self.paths.imds && servesIMDS ? .imds : nil
  }

  private func tokenRequest(in request: LoopbackRequest, _ contract: Contract) throws(EndpointError) -> TokenRequest {
    let method = contract == .cloudShell ? "POST" : "GET"
    guard request.method == method else { throw EndpointError(405, "the method must be \(method)") }
    // Prevents server-side request forgery: an attacker who chooses the URL can rarely add a header field.
    if contract != .appService, request.values(of: "metadata").map({ $0.lowercased() }) != ["true"] {
      throw EndpointError(400, "the header field Metadata: true is missing")
    }
    let fields = FormEncoding.decode(contract == .cloudShell ? request.body : Array((request.query ?? "").utf8))
    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
    let versions = [Self.version, Self.revocationVersion]
    if contract == .appService, !versions.contains(where: { values("api-version") == [$0] }) {
      throw EndpointError(400, "api-version must be \(versions.joined(separator: " or "))")
    }
    let resources = values("resource")
    guard resources.count == 1, let resource = Self.resource(resources[0]) else {
      throw EndpointError(400, "resource must be one URI or application ID")
    }
    guard self.resources?.contains(where: { Self.isSame($0, resource) }) ?? true else {
      throw EndpointError(403, "tokens for \(resource) aren't served here; add it to the resources of the endpoint")
    }
    let digest = contract == .appService ? values("token_sha256_to_refresh").first : nil
    return TokenRequest(contract: contract, resource: resource, rejectedDigest: digest)
  }

  /// A resource's URI or application ID, as RFC 6749 §3.3 allows it in a scope; some programs send the scope.
  package static func resource(_ text: String) -> String? {
    let resource = Scopes.resource(ofDefault: text) ?? text
    let isValid = resource.utf8.allSatisfy { $0.isASCIIVisible && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    let isNamed = resource.contains(":") || UUID(uuidString: resource) != nil
    return isValid && isNamed && resource.utf8.count <= 1024 ? resource : nil
  }

  /// Ignores a trailing slash: Microsoft's documentation writes most resources with and without it.
  private static func isSame(_ left: String, _ right: String) -> Bool {
    left.withoutTrailingSlash.isIdentical(to: right.withoutTrailingSlash)
  }
}
