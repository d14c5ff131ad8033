import TestSupport

/// A way to prevent writing.
enum Shortage: String, CaseIterable {
  case readOnly, fullDisk, noMoreFiles, fileSizeLimit

  /// Prefixes the following command, in a mount namespace if it mounts.
  func command(_ state: String) async throws -> [String] {
    let go = #"shift; exec "$@""#
    let words =
      switch self {
      case .readOnly:
        try await MountNamespace.running(#"mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && \#(go)"#)
      case .fullDisk:
        try await MountNamespace.running(
          #"""
          cache=$(cat "$1/token_cache.json") && mount -t tmpfs -o size=64k,mode=700 none "$1" || exit 99
          umask 077; printf %s "$cache" > "$1/token_cache.json"; cat /dev/zero > "$1/filler" 2> /dev/null; \#(go)
          """#
        )
      case .noMoreFiles:
        // Only the lock file can be created.
        try await MountNamespace.running(
          #"""
          cache=$(cat "$1/token_cache.json") && mount -t tmpfs -o nr_inodes=16,mode=700 none "$1" || exit 99
          umask 077; printf %s "$cache" > "$1/token_cache.json"; n=0
          while true 2> /dev/null > "$1/filler$n"; do n=$((n + 1)); done
          rm "$1/filler0"; \#(go)
          """#
        )
      // 64 blocks of 512 bytes; by default SIGXFSZ would kill the process.
      case .fileSizeLimit: ["/bin/sh", "-c", "ulimit -f 64; \(go)", "sh"]
      }
    return words + [state]
  }
}
