/// A mount namespace.
package enum MountNamespace {
  private static let unshare = "/usr/bin/unshare"
  /// Root needs no user namespace, which many containers forbid; other users become root in one.
  private static let ways = [[unshare, "--mount"], [unshare, "--user", "--map-root-user", "--mount"]]

  private static let way = Task { () -> [String]? in
    for way in ways {
      let probe = try ChildProcess(way + ["/bin/mount", "-t", "tmpfs", "none", "/mnt"], environment: [:])
      if try await probe.end() == .exited(0) { return way }
    }
    return nil
  }

  /// A command line that runs a shell script, with the following arguments, in a new namespace.
  package static func running(_ script: String) async throws -> [String] {
    guard let way = try await way.value else {
      throw TestFailure(
        """
        this test mounts a file system, which is forbidden here. In a container, allow it: docker run \
        --cap-add SYS_ADMIN --security-opt apparmor=unconfined; elsewhere run the tests as root, or allow user \
        namespaces: sysctl kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0
        """
      )
    }
    return way + ["/bin/sh", "-c", script, "sh"]
  }

  /// A command line that runs the following arguments with another directory at a path.
  package static func replacing(_ path: String, with directory: String) async throws -> [String] {
    try await running(#"mount --bind "$1" "$2" && shift 2 && exec "$@""#) + [directory, path]
  }
}
