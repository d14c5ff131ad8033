import Desktop
import FoundationEssentials
import Glibc
import LibCrypto
import Core

/// A folder of fetched documents, safe to delete at any time.
struct DiskDocumentCache: DocumentCache {
  /// A provider's document is at most as large as a response may be.
  static let largestDocument = 1 << 20

  /// The folder, `$XDG_CACHE_HOME/msauth`.
  let folder: String

  func document(_ name: String) -> (bytes: [UInt8], fetched: UnixTime)? {
    let descriptor = open(path(name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    // Keys decide whom we believe: a file that another user could have written is no file of ours.
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      status.st_mode & 0o022 == 0, status.st_size > 0, status.st_size <= Self.largestDocument
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = read(descriptor, &bytes, bytes.count)
    return count == bytes.count ? (bytes, UnixTime(status.st_mtim.tv_sec)) : nil
  }

  func keep(_ bytes: [UInt8], as name: String, fetched: UnixTime) {
    guard (try? ensurePrivateFolder(folder)) != nil else { return }
    // Written beside and renamed: a reader never sees half of it. The name is ours alone, two writers do not meet.
    let temporary = path(name) + ".\(getpid()).new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    let written = write(descriptor, bytes, bytes.count)
    let times = [timespec(tv_sec: Int(fetched), tv_nsec: 0), timespec(tv_sec: Int(fetched), tv_nsec: 0)]
    futimens(descriptor, times)
    close(descriptor)
    if written != bytes.count || rename(temporary, path(name)) != 0 {
      unlink(temporary)
    }
  }

  private func path(_ name: String) -> String {
    let digest = Digest.sha256.hash(Array(name.utf8))
    return folder + "/" + Base64URL.encode(digest) + ".json"
  }
}
