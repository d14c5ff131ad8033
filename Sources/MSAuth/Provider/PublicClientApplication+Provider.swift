import Core

/// What a provider's metadata says about it, for a user who configures it.
public struct ProviderInformation: Sendable {
  /// The issuer; where accounts of many issuers sign in, the authority's URL.
  public let issuer: String
  /// Whether somebody may sign in by a code on another device (RFC 8628).
  public let offersDeviceCode: Bool
}

extension PublicClientApplication {
  /// Fetches the metadata of the configured authority, and makes sure that it is that authority's.
  ///
  /// - Throws: ``AuthenticationError`` if the provider can't be reached, or its metadata is invalid.
  /// - Returns: What the metadata says.
  public func providerInformation() async throws(AuthenticationError) -> ProviderInformation {
    try await AuthenticationError.wrap {
      let metadata = try await context.dependencies.metadata(of: configuration.authority)
      return ProviderInformation(
        issuer: metadata.issuerRule.name(at: configuration.authority),
        offersDeviceCode: metadata.deviceAuthorizationEndpoint != nil
      )
    }
  }
}
