import Glibc

/// The files whose names begin with a file's name and a period.
package func companions(of path: String) throws(FileError) -> [(path: String, suffix: [UInt8])] {
  let directory = path.parentDirectory
  guard let name = path.pathComponents.last else { throw FileError(.invalidPath, path) }
  let start = Array("\(name).".utf8)
  return try entries(of: directory).compactMap { bytes in
    // A name that is not UTF-8 isn't ours, and would be decoded as a different one.
    guard bytes.starts(with: start), let string = String(validating: bytes, as: UTF8.self) else { return nil }
    return (directory.appendingPathComponent(string), Array(bytes.dropFirst(start.count)))
  }
}

/// The names in a directory, except `.` and `..`.
package func entries(of directory: String) throws(FileError) -> [[UInt8]] {
  var listing = opendir(directory)
  while listing == nil, errno == EINTR { listing = opendir(directory) }
  guard let listing else { throw .system(directory) }
  defer { closedir(listing) }
  var names: [[UInt8]] = []
  while true {
    // The end and an error look alike (readdir(3)).
    errno = 0
    if let item = readdir(listing) {
      let name = withUnsafeBytes(of: &item.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) { names.append(name) }
    } else if errno == 0 {
      return names
    } else if errno != EINTR {
      throw .system(directory)
    }
  }
}

/// Syncs a file's directory after a rename; failing to is harmless, since the content is safe.
package func synchronizeDirectory(of path: String) {
  let descriptor = retryingInterrupted { open(path.parentDirectory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  guard descriptor >= 0 else { return }
  _ = retryingInterrupted { fsync(descriptor) }
  close(descriptor)
}
