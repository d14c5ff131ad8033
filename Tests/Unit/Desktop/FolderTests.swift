import Foundation
import Glibc
import Testing

@testable import Desktop

@Suite struct FolderTests {
  @Test("the usual places lie in the home folder; there is no usual runtime folder")
  func usual() throws {
    let folders = try XDGFolders(environment: ["HOME": "/home/ann"])
    #expect(folders.config == "/home/ann/.config/msauth")
    #expect(folders.state == "/home/ann/.local/state/msauth")
    #expect(folders.cache == "/home/ann/.cache/msauth")
    #expect(folders.runtime == nil)
    #expect(folders.runtimeMissing?.contains("XDG_RUNTIME_DIR") == true)
    #expect(folders.notes.isEmpty)
  }

  @Test("each variable moves its own folder")
  func moved() throws {
    let folders = try XDGFolders(environment: [
      "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s/", "XDG_CACHE_HOME": "/k", "XDG_RUNTIME_DIR": "/r",
    ]) { nil }
    #expect([folders.config, folders.state, folders.cache] == ["/c/msauth", "/s/msauth", "/k/msauth"])
    #expect(folders.runtime == "/r/msauth")
    #expect(folders.runtimeMissing == nil)
  }

  @Test("a relative value is ignored, with a note")
  func relative() throws {
    let folders = try XDGFolders(environment: ["HOME": "/h", "XDG_STATE_HOME": "state", "XDG_RUNTIME_DIR": "./r"])
    #expect(folders.state == "/h/.local/state/msauth")
    #expect(folders.runtime == nil)
    #expect(folders.notes.count == 2)
  }

  @Test("without HOME the password database is asked, and without both there is an error")
  func noHome() throws {
    #expect(try XDGFolders(environment: [:]) { "/var/ann" }.config == "/var/ann/.config/msauth")
    #expect(try XDGFolders(environment: ["HOME": "relative"]) { "/var/ann" }.config == "/var/ann/.config/msauth")
    #expect(XDGFolders.homeInPasswordDatabase()?.hasPrefix("/") == true)
    let error = #expect(throws: FolderError.self) { try XDGFolders(environment: [:]) { nil } }
    #expect(error?.kind == .noHome)
  }

  @Test("a folder is made with all above it, for us alone, and made again without harm")
  func created() throws {
    let openers = try OpenerFixture()
    let path = openers.path("a/b/msauth")
    for _ in 0..<2 {
      try ensurePrivateFolder(path)
      #expect(mode(path) == 0o700)
      #expect(mode(openers.path("a")) == 0o700)
    }
  }

  @Test("a folder that others may read is closed to them")
  func closed() throws {
    let openers = try OpenerFixture()
    mkdir(openers.path("msauth"), 0o755)
    try ensurePrivateFolder(openers.path("msauth"))
    #expect(mode(openers.path("msauth")) == 0o700)
  }

  @Test("a folder that others may write into is refused and left alone", arguments: [0o770, 0o702, 0o777] as [mode_t])
  func writable(bits: mode_t) throws {
    let openers = try OpenerFixture()
    mkdir(openers.path("msauth"), 0o700)
    chmod(openers.path("msauth"), bits)
    let error = #expect(throws: FolderError.self) { try ensurePrivateFolder(openers.path("msauth")) }
    #expect(error?.kind == .notPrivate)
    #expect(mode(openers.path("msauth")) == bits)
  }

  @Test("a symbolic link is refused")
  func link() throws {
    let openers = try OpenerFixture()
    mkdir(openers.path("real"), 0o700)
    symlink(openers.path("real"), openers.path("msauth"))
    let error = #expect(throws: FolderError.self) { try ensurePrivateFolder(openers.path("msauth")) }
    #expect(error?.kind == .notPrivate)
  }

  @Test("a folder of another user is refused")
  func foreign() throws {
    let openers = try OpenerFixture()
    var (path, owner) = ("/usr", "user 0")
    // Only root can give a folder away, and only root owns the system's.
    if geteuid() == 0 {
      (path, owner) = (openers.path("msauth"), "user 4711")
      mkdir(path, 0o700)
      chown(path, 4711, 4711)
    }
    let error = #expect(throws: FolderError.self) { try ensurePrivateFolder(path) }
    #expect(error?.kind == .notPrivate)
    #expect(error?.message.contains(owner) == true)
  }

  @Test("a file in the way, and a path that is none, are errors", arguments: ["file", "file/below"])
  func file(name: String) throws {
    let openers = try OpenerFixture()
    try "".write(toFile: openers.path("file"), atomically: true, encoding: .utf8)
    let error = #expect(throws: FolderError.self) { try ensurePrivateFolder(openers.path(name)) }
    #expect(error?.kind == .unusable)
    #expect(throws: FolderError.self) { try ensurePrivateFolder("relative/msauth") }
  }

  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }
}
