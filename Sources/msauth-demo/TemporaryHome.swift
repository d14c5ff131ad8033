import Foundation

/// A home folder for the time of the tour, so that the person's own tokens and settings stay untouched.
struct TemporaryHome {
  let path: String

  init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("msauth-demo-\(UUID().uuidString.prefix(8).lowercased())").path
    for folder in ["", "/config", "/state", "/cache", "/data", "/run"] {
      try FileManager.default.createDirectory(
        atPath: path + folder,
        withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700]
      )
    }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// The environment for msauth.
  ///
  /// - Parameters:
  ///   - own: The person's environment.
  ///   - opensBrowser: Whether `$BROWSER` leads to the person's browser, or nowhere.
  /// - Returns: The person's environment with this home, and without settings for msauth.
  /// - Throws: When the browser's script cannot be written.
  func environment(from own: [String: String], opensBrowser: Bool) throws -> [String: String] {
    var environment = own.filter { !$0.key.hasPrefix("MSAUTH_") }
    environment["BROWSER"] = try browserScript(own, opensBrowser: opensBrowser)
    environment.merge(folders) { $1 }
    return environment
  }

  private var folders: [String: String] {
    [
      "HOME": path,
      "XDG_CONFIG_HOME": path + "/config",
      "XDG_STATE_HOME": path + "/state",
      "XDG_CACHE_HOME": path + "/cache",
      "XDG_DATA_HOME": path + "/data",
      "XDG_RUNTIME_DIR": path + "/run",
    ]
  }

  /// The browser is to find the person's own home and profile, not this one, which is gone when the tour ends.
  private func browserScript(_ own: [String: String], opensBrowser: Bool) throws -> String {
    let restored = (folders.keys.sorted() + ["BROWSER"]).map { name in
      own[name].map { "export \(name)='\($0.replacing("'", with: "'\\''"))'" } ?? "unset \(name)"
    }
    let end = opensBrowser ? "exec xdg-open \"$1\"" : "exit 0"
    let script = path + "/browser"
    try Data((["#!/bin/sh"] + restored + [end, ""]).joined(separator: "\n").utf8)
      .write(to: URL(fileURLWithPath: script))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
    return "\(script) %s"
  }
}
