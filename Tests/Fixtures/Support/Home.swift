/// A temporary home: `HOME` and the XDG directories.
package final class Home: Sendable {
  package let folder: URL

  /// The file store's path in a home.
  package static let cacheFile = "state/msauth/token_cache.json"

  /// A directory in memory (tmpfs).
  package static let memory = "/dev/shm"

  package init(in parent: String = NSTemporaryDirectory()) throws {
    folder = URL(filePath: parent).appending(path: "msauth-test-\(UUID().uuidString.prefix(13))")
    for part in ["home", "config", "state", "cache", "data", "run"] {
      try FileManager.default.createDirectory(
        at: folder.appending(path: part),
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    }
  }

  deinit {
    // A session bus may have started the document portal.
    let mount = path("run/doc")
    if let mounts = try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8), mounts.contains(" \(mount) fuse")
    {
      let unmount = Process()
      unmount.executableURL = URL(filePath: "/usr/bin/fusermount3")
      unmount.arguments = ["-u", "-z", mount]
      if (try? unmount.run()) != nil { unmount.waitUntilExit() }
    }
    try? FileManager.default.removeItem(at: folder)
  }

  /// The environment of a process in this home, without a display.
  package var environment: [String: String] {
    [
      "PATH": "/usr/local/bin:/usr/bin:/bin",
      "LANG": "C.UTF-8",
      "HOME": path("home"),
      "XDG_CONFIG_HOME": path("config"),
      "XDG_STATE_HOME": path("state"),
      "XDG_CACHE_HOME": path("cache"),
      "XDG_DATA_HOME": path("data"),
      "XDG_RUNTIME_DIR": path("run"),
    ]
  }

  /// The absolute path of a path relative to the home.
  package func path(_ relative: String) -> String {
    folder.appending(path: relative).path
  }

  /// Writes a file, and creates its directories.
  @discardableResult
  package func write(_ text: String, to relative: String, mode: Int = 0o600) throws -> String {
    let file = try created(relative)
    try Data(text.utf8).write(to: URL(filePath: file))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    return file
  }

  /// Writes a configuration of the fixtures, with values instead of their names, one name after the other.
  package func write(fixture: String, _ values: KeyValuePairs<String, String>) throws -> String {
    let template = try String(contentsOfFile: BuiltProducts.fixture(fixture), encoding: .utf8)
    return try write(values.reduce(template) { $0.replacing($1.key, with: $1.value) }, to: fixture)
  }

  /// Creates a symbolic link, and its directories.
  package func link(_ relative: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: created(relative), withDestinationPath: target)
  }

  /// A path whose directories exist.
  private func created(_ relative: String) throws -> String {
    let file = folder.appending(path: relative)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    return file.path
  }

  /// Adds access control entries to a file (setfacl(1)); false if the file system doesn't support them.
  package func setAccessList(_ entries: String, of relative: String) async throws -> Bool {
    let child = try ChildProcess(["setfacl", "-m", entries, path(relative)], environment: environment)
    if try await child.end() == .exited(0) { return true }
    guard child.stderr.contains("Operation not supported") else { throw TestFailure(child.stderr) }
    return false
  }

  /// Writes an executable shell script.
  @discardableResult
  package func script(_ text: String, to relative: String) throws -> String {
    try write("#!/bin/sh\n\(text)\n", to: relative, mode: 0o700)
  }

  /// Writes a browser that only records its first argument.
  package func writeBrowser(to relative: String) throws -> String {
    let file = path(relative)
    return try script(#"echo "$1" > \#(file).new; mv \#(file).new \#(file)"#, to: "browser")
  }

  package func json(_ relative: String) throws -> JSONValue { try JSONValue(parsing: (read(relative) ?? "").utf8) }

  package func status(_ relative: String) throws -> stat {
    var status = stat()
    try check(stat(path(relative), &status), "stat(\(relative))")
    return status
  }

  /// A file's permission bits.
  package func mode(_ relative: String) throws -> mode_t { try status(relative).st_mode & 0o7777 }
  package func read(_ relative: String) -> String? {
    FileManager.default.contents(atPath: path(relative)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The relative paths of all files in a directory.
  package func files(below relative: String) -> [String] {
    let all = FileManager.default.enumerator(atPath: path(relative))?.compactMap { $0 as? String } ?? []
    return all.filter { entry in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: path("\(relative)/\(entry)"), isDirectory: &isFolder)
        && !isFolder.boolValue
    }.sorted()
  }
}

extension Home {
  /// Installs a default browser, as desktops and `xdg-open` find it.
  package func installBrowser(_ id: String, name: String, command: String) throws {
    try write(
      """
      [Desktop Entry]
      Type=Application
      Name=\(name)
      Exec=\(command)
      MimeType=x-scheme-handler/http;x-scheme-handler/https;text/html;

      """,
      to: "data/applications/\(id).desktop"
    )
    try write(
      """
      [Default Applications]
      x-scheme-handler/http=\(id).desktop
      x-scheme-handler/https=\(id).desktop
      text/html=\(id).desktop

      """,
      to: "config/mimeapps.list"
    )
  }
}

/// The token cache's file.
extension Home {
  /// Changes every entry of a map.
  package func changeEntries(of map: String, _ body: (inout JSONValue.Object) -> Void) throws {
    guard var root = try json(Self.cacheFile).object, var entries = root[map]?.object,
      !entries.isEmpty
    else { throw TestFailure("the token cache has no \(map)") }
    for (key, entry) in entries {
      var fields = entry.object ?? [:]
      body(&fields)
      entries[key] = .object(fields)
    }
    root[map] = .object(entries)
    try write(JSONValue.object(root).serializedString(), to: Self.cacheFile)
  }

  package func expireAccessTokens() throws {
    try changeEntries(of: "AccessToken") {
      $0["expires_on"] = "1"
      $0["extended_expires_on"] = "1"
      $0["refresh_on"] = nil
    }
  }

  package func removeMap(_ map: String) throws {
    guard var root = try json(Self.cacheFile).object, root[map] != nil else {
      throw TestFailure("the token cache has no \(map)")
    }
    root[map] = nil
    try write(JSONValue.object(root).serializedString(), to: Self.cacheFile)
  }
}
