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
