import CLinux
import Glibc

/// What this process does at its start, so that its memory, which holds tokens, is not left behind, and so that no
/// closed pipe ends it halfway.
package enum Hardening {
  /// Applies it to this process alone.
  package static func apply() {
    // No core dump, and no other process of this user may attach and read our memory. Unlike a resource limit or the
    // umask, a browser that we start does not inherit it.
    _ = linux_forbid_dumps()
    // To write into a pipe that nobody reads is an error of write(2): a closed stderr must not end the process between
    // the arrival of a renewed token and its storage. A handler, since a started program would inherit an ignored
    // signal.
    if !linux_ignores_signal(SIGPIPE) { signal(SIGPIPE) { _ in } }
  }
}
