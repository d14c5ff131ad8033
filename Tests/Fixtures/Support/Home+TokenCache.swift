/// A token cache in the test's home, as its file has it.
extension Home {
  /// Changes every entry of one map of a token cache.
  ///
  /// - Parameters:
  ///   - map: The map's name, such as `AccessToken`.
  ///   - file: The cache's file, below the home.
  ///   - body: Changes one entry.
  /// - Throws: ``TestFailure`` when the file has no such entry.
  package func changeEntries(of map: String, in file: String, _ body: (inout JSONValue.Object) -> Void) throws {
    guard var root = try JSONValue(parsing: (read(file) ?? "").utf8).object, var entries = root[map]?.object,
      !entries.isEmpty
    else { throw TestFailure("the token cache has no \(map)") }
    for (key, entry) in entries {
      var fields = entry.object ?? [:]
      body(&fields)
      entries[key] = .object(fields)
    }
    root[map] = .object(entries)
    try write(String(decoding: JSONValue.object(root).serialized(), as: UTF8.self), to: file)
  }

  /// Makes the access tokens of a token cache old, as time would.
  ///
  /// - Parameter file: The cache's file, below the home.
  /// - Throws: ``TestFailure`` when it has none.
  package func expireAccessTokens(in file: String) throws {
    try changeEntries(of: "AccessToken", in: file) {
      $0["expires_on"] = "1"
      $0["extended_expires_on"] = "1"
      $0["refresh_on"] = nil
    }
  }

  /// Removes one map of a token cache.
  ///
  /// - Parameters:
  ///   - map: The map's name.
  ///   - file: The cache, below the home.
  /// - Throws: ``TestFailure`` when it has no such map.
  package func removeMap(_ map: String, in file: String) throws {
    guard var root = try JSONValue(parsing: (read(file) ?? "").utf8).object, root[map] != nil else {
      throw TestFailure("the token cache has no \(map)")
    }
    root[map] = nil
    try write(String(decoding: JSONValue.object(root).serialized(), as: UTF8.self), to: file)
  }
}
