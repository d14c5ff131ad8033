import FoundationEssentials
import Glibc
import MSAuthCrypto
import MSAuthUnix

/// A directory of fetched documents, safe to delete at any time.
struct DiskDocumentCache: DocumentCache {
  /// A provider's document is at most as large as a response may be.
  static let maximumSize = 1 << 20

  /// The directory, `$XDG_CACHE_HOME/msauth`.
  let directory: String

  func document(_ name: String) async -> (bytes: [UInt8], fetched: UnixTime)? {
    await BackgroundThread.run { _ in read(name) }
  }

  func keep(_ bytes: [UInt8], as name: String, fetched: UnixTime) async {
    await BackgroundThread.run { _ in write(bytes, as: name, fetched: fetched) }
  }

  private func read(_ name: String) -> (bytes: [UInt8], fetched: UnixTime)? {
    // Keys decide whom we believe: a file that another user could have written is no file of ours.
    let requirements = FileRequirements(owners: [geteuid()], forbiddenMode: 0o022, allowsSymbolicLink: false)
    guard let file = try? readFile(at: path(name), limit: Self.maximumSize, requiring: requirements),
      !file.bytes.isEmpty
    else { return nil }
    return (file.bytes, file.modified)
  }

  private func write(_ bytes: [UInt8], as name: String, fetched: UnixTime) {
    guard (try? PrivateDirectory(directory).createExclusive()) != nil else { return }
    // What could not be kept is fetched again.
    try? replaceFile(at: path(name), with: bytes, modified: fetched, lasts: false)
  }

  private func path(_ name: String) -> String {
    let digest = Digest.sha256.hash(Array(name.utf8))
    return directory + "/" + Base64URL.encode(digest) + ".json"
  }
}
