import CLinux

/// What this process does so that its memory, which holds tokens, is not left behind.
package enum Hardening {
  /// Applies it to this process alone.
  package static func apply() {
    // No core dump, and no other process of this user may attach and read our memory. Unlike a resource limit or the
    // umask, a browser that we start does not inherit it.
    _ = linux_forbid_dumps()
  }
}
