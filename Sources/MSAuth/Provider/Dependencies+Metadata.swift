import MSAuthTransport

extension Dependencies {
  /// The authority's metadata, cached for a day unless `refetches`; `onAttempt` gets each requested URL and its error.
  package func metadata(
    of authority: Authority,
    refetches: Bool = false,
    onAttempt: (String, AuthenticationError?) -> Void = { _, _ in }
  ) async throws(AuthenticationError) -> ProviderMetadata {
    if !refetches, let kept = await cachedMetadata(of: authority, fetchedWithin: ProviderMetadata.freshness) {
      return kept
    }
    let (metadata, response) = try await fetchMetadata(of: authority, onAttempt: onAttempt)
    // A guess isn't kept: the server may publish its metadata at any time.
    if response.body != authority.impliedMetadata { await keep(response.body, as: authority.metadataURL) }
    return metadata
  }

  func fetchMetadata(
    of authority: Authority,
    onAttempt: (String, AuthenticationError?) -> Void = { _, _ in }
  ) async throws(AuthenticationError) -> (metadata: ProviderMetadata, response: HTTPResponse) {
    var failures: [AuthenticationError] = []
    for url in authority.metadataURLs {
      do throws(AuthenticationError) {
        let response = try await fetch(url, what: "the provider's metadata")
        let metadata = try ProviderMetadata(parsing: response.body, for: authority)
        onAttempt(url, nil)
        return (metadata, response)
      } catch {
        try AuthenticationError.checkCancellation()
        onAttempt(url, error)
        failures.append(error)
      }
    }
    let isMissing = failures.allSatisfy { [401, 403, 404, 405, 410].contains($0.httpStatus) }
    if isMissing, let implied = authority.impliedMetadata {
      return (try ProviderMetadata(parsing: implied, for: authority), HTTPResponse(status: 200, body: implied))
    }
    throw failures.first { $0.httpStatus != 404 } ?? failures[0]
  }

  func cachedMetadata(of authority: Authority, fetchedWithin seconds: UnixTime? = nil) async -> ProviderMetadata? {
    let cached = await document(authority.metadataURL, fetchedWithin: seconds)
    return cached.flatMap { try? ProviderMetadata(parsing: $0, for: authority) }
  }
}

extension ProviderMetadata {
  /// A day: providers announce changes of endpoints long before, and keys are fetched again if one is unknown.
  static let freshness: UnixTime = 24 * 60 * 60
}
