package import Glibc

/// Numbers that change when a file is replaced or written to.
package struct FileState: Equatable, Sendable {
  private let numbers: [Int]

  package init(_ status: stat) {
    let file = [status.st_dev, status.st_ino].map { Int(truncatingIfNeeded: $0) }
    numbers = file + [status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
  }

  /// `nil` if there is no such file.
  package init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}

/// Whether a path names the open file; `nil` with `errno` on failure.
package func isOpenFile(_ descriptor: Int32, at path: String) -> Bool? {
  var (opened, named) = (stat(), stat())
  guard fstat(descriptor, &opened) == 0 else { return nil }
  guard lstat(path, &named) == 0 else { return [ENOENT, ENOTDIR].contains(errno) ? false : nil }
  return opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
}

/// Whether a descriptor is a file that other users can read.
package func isReadableByOthers(_ descriptor: Int32) -> Bool {
  var status = stat()
  guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
  return status.st_uid != geteuid() || status.st_mode & 0o044 != 0
}
