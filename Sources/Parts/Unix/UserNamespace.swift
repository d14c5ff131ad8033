/// The user namespace of this process (user_namespaces(7)).
package enum UserNamespace {
  /// Users without an ID in the namespace (`/proc/sys/kernel/overflowuid`).
  package static let overflowUser: UInt32 = 65_534

  /// Whether user IDs are the same as outside; assumed if the kernel has no map.
  package static let isInitial: Bool = {
    let map = try? readFile(at: "/proc/self/uid_map", limit: 4 << 10).bytes
    return isInitial(uidMap: map ?? [])
  }()

  static func isInitial(uidMap: [UInt8]) -> Bool {
    let fields = String(decoding: uidMap, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    return fields.isEmpty || fields == ["0", "0", "4294967295"]
  }
}
