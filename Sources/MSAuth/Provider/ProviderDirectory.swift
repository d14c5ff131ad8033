import OAuth
import Core
import Transport

/// Fetches a provider's metadata, and keeps it between runs.
struct ProviderDirectory: Sendable {
  /// A day: providers announce changes of endpoints long before, and keys are fetched again when one is unknown.
  static let freshness: UnixTime = 24 * 60 * 60

  let dependencies: Dependencies

  /// Returns the authority's metadata, from the disk while it is fresh.
  func metadata(of authority: Authority) async throws -> ProviderMetadata {
    if let kept = await dependencies.documents.document(authority.metadataURL),
      dependencies.clock.age(of: kept.fetched) < Self.freshness,
      let metadata = try? ProviderMetadata(parsing: kept.bytes, for: authority)
    {
      return metadata
    }
    let (metadata, response) = try await fetchMetadata(of: authority)
    await dependencies.documents.keep(response.body, as: authority.metadataURL, fetched: dependencies.clock.now())
    return metadata
  }

  /// Fetches the authority's metadata, whatever the disk has.
  func fetchMetadata(of authority: Authority) async throws -> (metadata: ProviderMetadata, response: HTTPResponse) {
    let response = try await dependencies.fetch(authority.metadataURL, what: "the provider's metadata")
    return (try ProviderMetadata(parsing: response.body, for: authority), response)
  }

  /// Returns the metadata that a former run left, however old, without network.
  func keptMetadata(of authority: Authority) async -> ProviderMetadata? {
    await dependencies.documents.document(authority.metadataURL).flatMap {
      try? ProviderMetadata(parsing: $0.bytes, for: authority)
    }
  }
}
