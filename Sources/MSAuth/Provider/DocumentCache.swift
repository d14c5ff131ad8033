import Glibc
import MSAuthCrypto
import MSAuthTransport
import MSAuthUnix

/// A provider's documents, cached between runs: its metadata and its keys.
protocol DocumentCache: Sendable {
  func document(_ name: String) async -> (bytes: [UInt8], fetched: UnixTime)?
  /// Fails silently, since the document can be fetched again.
  func keep(_ bytes: [UInt8], as name: String, fetched: UnixTime) async
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
  /// A cached document, of any age or fetched in the last `seconds`; one from the future is too old: the clock was set back.
  func document(_ name: String, fetchedWithin seconds: UnixTime? = nil) async -> [UInt8]? {
    guard let cached = await documents?.document(name) else { return nil }
    if let seconds, !(0..<seconds).contains(clock.now() - cached.fetched) { return nil }
    return cached.bytes
  }

  func keep(_ bytes: [UInt8], as name: String) async { await documents?.keep(bytes, as: name, fetched: clock.now()) }
}
