/// The user namespace of this process (user_namespaces(7)).
package enum UserNamespace {
  /// What Linux calls a user that has no number in the namespace: the default of `/proc/sys/kernel/overflowuid`.
  package static let overflowUser: UInt32 = 65_534

  /// Whether users have the same numbers here as outside; assumed where the kernel does not say.
  package static let isInitial: Bool = {
    let map = try? readFile(at: "/proc/self/uid_map", limit: 4 << 10).bytes
    return isInitial(uidMap: map ?? [])
  }()

  /// Whether a map of user IDs is the initial namespace's, which maps all of them to themselves.
  package static func isInitial(uidMap: [UInt8]) -> Bool {
    let fields = String(decoding: uidMap, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    return fields.isEmpty || fields == ["0", "0", "4294967295"]
  }
}
