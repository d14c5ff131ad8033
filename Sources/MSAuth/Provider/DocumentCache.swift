import Glibc
import MSAuthCrypto
import MSAuthTransport
import MSAuthUnix

/// A provider's documents, kept between runs: its metadata and its keys.
protocol DocumentCache: Sendable {
  func document(_ name: String) async -> (bytes: [UInt8], fetched: UnixTime)?
  /// Fails silently, since the document can be fetched again.
  func keep(_ bytes: [UInt8], as name: String, fetched: UnixTime) async
}

struct NoDocuments: DocumentCache {
  func document(_ name: String) async -> (bytes: [UInt8], fetched: UnixTime)? { nil }
  func keep(_ bytes: [UInt8], as name: String, fetched: UnixTime) async {}
}

/// A directory of documents, safe to delete at any time.
struct DiskDocumentCache: DocumentCache {
  static let maximumSize = 1 << 20

  /// `$XDG_CACHE_HOME/msauth`.
  let directory: String

  func document(_ name: String) async -> (bytes: [UInt8], fetched: UnixTime)? {
    // Keys decide which tokens are accepted, so another user must not be able to write the file.
    let requirements = FileRequirements(owners: [geteuid()], forbiddenMode: 0o022, allowsLinks: false)
    return await BackgroundThread.run { _ in
      let file = try? readFile(at: path(name), limit: Self.maximumSize, requiring: requirements)
      return file.flatMap { $0.bytes.isEmpty ? nil : ($0.bytes, $0.modified) }
    }
  }

  func keep(_ bytes: [UInt8], as name: String, fetched: UnixTime) async {
    await BackgroundThread.run { _ in
      guard (try? PrivateDirectory(directory).createExclusive()) != nil else { return }
      try? replaceFile(at: path(name), with: bytes, modified: fetched, syncs: false)
    }
  }

  private func path(_ name: String) -> String {
    directory + "/" + Base64URL.encode(Digest.sha256.hash(Array(name.utf8))) + ".json"
  }
}

extension Dependencies {
  /// A kept document, if it was fetched in the last `seconds`; one from the future (the clock was set back) is too old.
  func document(_ name: String, fetchedWithin seconds: UnixTime) async -> [UInt8]? {
    let kept = await documents.document(name)
    return kept.flatMap { (0..<seconds).contains(clock.now() - $0.fetched) ? $0.bytes : nil }
  }

  /// The authority's metadata, from the cache while it is fresh unless `refetches`; `onAttempt` gets each URL that is
  /// requested, and its error.
  package func metadata(
    of authority: Authority,
    refetches: Bool = false,
    onAttempt: (String, AuthenticationError?) -> Void = { _, _ in }
  ) async throws(AuthenticationError) -> ProviderMetadata {
    if !refetches, let kept = await document(authority.metadataURL, fetchedWithin: ProviderMetadata.freshness),
      let metadata = try? ProviderMetadata(parsing: kept, for: authority)
    {
      return metadata
    }
    let (metadata, response) = try await fetchMetadata(of: authority, onAttempt: onAttempt)
    // A guess isn't kept: the server may publish its metadata at any time.
    if response.body != authority.impliedMetadata {
      await documents.keep(response.body, as: authority.metadataURL, fetched: clock.now())
    }
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

  /// The cached metadata, however old.
  func keptMetadata(of authority: Authority) async -> ProviderMetadata? {
    await documents.document(authority.metadataURL).flatMap { try? ProviderMetadata(parsing: $0.bytes, for: authority) }
  }
}

extension ProviderMetadata {
  /// A day: providers announce changes of endpoints long before, and keys are fetched again if one is unknown.
  static let freshness: UnixTime = 24 * 60 * 60
}
