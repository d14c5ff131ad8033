import Glibc

/// The few files that tell what kind of system this is; tests bring their own.
package struct SystemFiles: Sendable {
  package var exists: @Sendable (String) -> Bool
  /// The beginning of a file, nil when it cannot be read.
  package var text: @Sendable (String) -> String?

  package init(
    exists: @escaping @Sendable (String) -> Bool,
    text: @escaping @Sendable (String) -> String?
  ) {
    self.exists = exists
    self.text = text
  }

  /// Those of this system.
  package static let live = SystemFiles(
    exists: { access($0, F_OK) == 0 },
    text: { path in
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      // One line of the kernel's.
      var buffer = [UInt8](repeating: 0, count: 1024)
      let count = read(descriptor, &buffer, buffer.count)
      return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }
  )
}
