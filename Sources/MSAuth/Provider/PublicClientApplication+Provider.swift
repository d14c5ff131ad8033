import Core

/// What a provider's metadata says about it, for a person who configures it.
package struct ProviderSummary: Sendable {
  /// The issuer; where accounts of many issuers sign in, the authority's URL.
  package let issuer: String
  /// Whether somebody may sign in by a code on another device (RFC 8628).
  package let offersDeviceCode: Bool
}

extension PublicClientApplication {
  /// Fetches the metadata of the configured authority, and makes sure that it is that authority's.
  package func providerSummary() async throws(AuthenticationError) -> ProviderSummary {
    try await AuthenticationError.wrap {
      let directory = ProviderDirectory(dependencies: context.dependencies)
      let metadata = try await directory.metadata(of: configuration.authority)
      return ProviderSummary(
        issuer: metadata.issuerRule.name(at: configuration.authority),
        offersDeviceCode: metadata.deviceAuthorizationEndpoint != nil
      )
    }
  }
}
