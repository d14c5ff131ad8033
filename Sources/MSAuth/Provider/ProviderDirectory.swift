import JOSE
import OAuth
import Core
import Transport

/// Fetches a provider's metadata and keys, and keeps them between runs.
struct ProviderDirectory: Sendable {
  /// A day: providers announce changes of endpoints long before, and keys are fetched again when one is unknown.
  static let freshness: UnixTime = 24 * 60 * 60
  /// A minute between two fetches of one provider's keys: a stream of forged key ids must not become a stream of requests.
  static let refetchInterval: UnixTime = 60

  let dependencies: Dependencies

  /// Returns the authority's metadata, from the disk while it is fresh.
  ///
  /// - Parameter authority: Whose metadata.
  /// - Returns: Metadata whose issuer fits the authority (OpenID Connect Discovery §4.3).
  /// - Throws: ``AuthenticationError``.
  func metadata(of authority: Authority) async throws -> ProviderMetadata {
    if let kept = await dependencies.documents.document(authority.metadataURL), isFresh(kept.fetched),
      let metadata = try? ProviderMetadata(parsing: kept.bytes, for: authority)
    {
      return metadata
    }
    let (metadata, response) = try await fetchMetadata(of: authority)
    await dependencies.documents.keep(response.body, as: authority.metadataURL, fetched: dependencies.clock.now())
    return metadata
  }

  /// Fetches the authority's metadata, whatever the disk has.
  ///
  /// - Parameter authority: Whose metadata.
  /// - Returns: The metadata, and the response that it came in.
  /// - Throws: ``AuthenticationError``.
  func fetchMetadata(of authority: Authority) async throws -> (metadata: ProviderMetadata, response: HTTPResponse) {
    let response = try await fetch(authority.metadataURL, what: "the provider's metadata")
    do {
      return (try ProviderMetadata(parsing: response.body, for: authority), response)
    } catch {
      throw AuthenticationError(error, as: .invalidResponse)
    }
  }

  /// Returns the metadata that a former run left, however old, without network.
  func keptMetadata(of authority: Authority) async -> ProviderMetadata? {
    await dependencies.documents.document(authority.metadataURL).flatMap {
      try? ProviderMetadata(parsing: $0.bytes, for: authority)
    }
  }

  /// What fetching the keys again gave.
  enum Refetch {
    case keys(JSONWebKeySet)
    /// They were fetched again less than ``refetchInterval`` ago.
    case tooEarly
  }

  /// Returns the provider's keys, from the disk while they are fresh.
  ///
  /// - Parameter metadata: Whose keys.
  /// - Returns: The keys; old ones if they cannot be fetched.
  /// - Throws: ``AuthenticationError``.
  func keys(of metadata: ProviderMetadata) async throws -> JSONWebKeySet {
    let kept = await dependencies.documents.document(metadata.jwksURI)
    if let kept, isFresh(kept.fetched), let keys = try? JSONWebKeySet(parsing: kept.bytes) { return keys }
    let body: [UInt8]
    do {
      body = try await fetch(metadata.jwksURI, what: "the provider's keys").body
    } catch {
      // Old keys are as good as they were, and what they do not fit is refused all the same.
      guard let old = kept.flatMap({ try? JSONWebKeySet(parsing: $0.bytes) }) else { throw error }
      return old
    }
    return try await keep(body, of: metadata)
  }

  /// Fetches the provider's keys again, after a token named a key that the kept ones lack; at most once a minute.
  ///
  /// - Parameter metadata: Whose keys.
  /// - Returns: The keys, or that it is too early.
  /// - Throws: ``AuthenticationError``.
  func refetchKeys(of metadata: ProviderMetadata) async throws -> Refetch {
    // Counted from the last fetch of this kind: the keys may have changed right after an ordinary one.
    let mark = metadata.jwksURI + "#refetched"
    if let last = await dependencies.documents.document(mark), age(last.fetched) < Self.refetchInterval {
      return .tooEarly
    }
    await dependencies.documents.keep(Array("{}".utf8), as: mark, fetched: dependencies.clock.now())
    return .keys(try await keep(try await fetch(metadata.jwksURI, what: "the provider's keys").body, of: metadata))
  }

  private func keep(_ body: [UInt8], of metadata: ProviderMetadata) async throws -> JSONWebKeySet {
    do {
      let keys = try JSONWebKeySet(parsing: body)
      await dependencies.documents.keep(body, as: metadata.jwksURI, fetched: dependencies.clock.now())
      return keys
    } catch {
      throw AuthenticationError(
        .invalidResponse,
        "the keys at \(metadata.jwksURI.printable()) cannot be read: \(error)",
        reason: .keySetInvalid
      )
    }
  }

  private func isFresh(_ fetched: UnixTime) -> Bool { age(fetched) < Self.freshness }

  /// The seconds since a fetch; a fetch in the future (the clock was set back) counts as old.
  private func age(_ fetched: UnixTime) -> UnixTime {
    let age = dependencies.clock.now() - fetched
    return age < 0 ? .max : age
  }

  private func fetch(_ url: String, what: String) async throws -> HTTPResponse {
    let request = HTTPRequest(.get, url, headers: [("Accept", "application/json")])
    let response = try await dependencies.send(request)
    guard response.status == 200 else {
      // Entra reports a tenant that does not exist here, in the words of the token endpoint.
      let isRefused = (400...499).contains(response.status) && response.status != 429
      if isRefused, let refusal = OAuthErrorResponse(parsing: response.body) { throw AuthenticationError(refusal) }
      throw AuthenticationError(
        unexpected: response,
        from: url,
        what: what,
        remedy: response.status == 404 ? .checkAuthority(notFound: url) : nil
      )
    }
    return response
  }
}
