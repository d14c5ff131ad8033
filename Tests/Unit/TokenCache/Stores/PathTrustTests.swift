import MSAuthUnix
import TestSupport
import Testing

@testable import MSAuthCache

@Suite("trusted paths")
struct PathTrustTests {
  private let fixture: StoreFixture
  /// Three nested private directories.
  private let folders: [String]

  init() throws {
    let fixture = try StoreFixture()
    (self.fixture, folders) = (fixture, ["a", "a/b", "a/b/c"].map { fixture.folder + "/" + $0 })
    for folder in folders { mkdir(folder, 0o700) }
  }

  private static func error(_ path: String) async -> AuthenticationError? {
    do throws(AuthenticationError) {
      try await FileStore(path: path + "/token_cache.json").lock(within: .zero).release()
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "a parent directory that others can write to is rejected by name",
    arguments: [0, 1, 2],
    [0o777, 0o707, 0o702]
  )
  func open(_ index: Int, _ mode: mode_t) async throws {
    chmod(folders[index], mode)
    let error = await Self.error(folders[2])
    #expect(
      error?.reason == .notTrusted && error?.message.hasPrefix(folders[index] + " can be written by others") == true
    )
    #expect(error?.hint?.description == "chmod go-w \(folders[index])")
    // Nothing is created there.
    #expect(await Self.error(folders[2] + "/new")?.reason == .notTrusted)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folders[2]).isEmpty)
  }

  @Test("a sticky directory such as /tmp is accepted, since others can't rename entries", arguments: [0, 1, 2])
  func sticky(_ index: Int) async throws {
    chmod(folders[index], 0o1777)
    #expect(await Self.error(folders[2]) == nil)
  }

  @Test("the user's private group may write to parent directories, but not to the store's directory")
  func group() async throws {
    chmod(folders[0], 0o770)
    let status = try fixture.home.status("state/a")
    // If the user's primary group isn't private, this is another group.
    #expect(await (Self.error(folders[2]) == nil) == (status.st_gid == status.st_uid))
    chmod(folders[0], 0o700)
    chmod(folders[2], 0o770)
    #expect(await Self.error(folders[2])?.reason == .notTrusted)
  }

  @Test("the user's own link is accepted, and its target is checked", arguments: [true, false])
  func link(_ isAbsolute: Bool) async throws {
    symlink(isAbsolute ? folders[1] : "./a/../a/b", fixture.folder + "/link")
    #expect(await Self.error(fixture.folder + "/link/c") == nil)
    chmod(folders[0], 0o777)
    #expect(await Self.error(fixture.folder + "/link/c")?.message.contains("can be written by others") == true)
    chmod(folders[0], 0o700)
    symlink("loop", fixture.folder + "/loop")
    #expect(await Self.error(fixture.folder + "/loop/c") != nil)
    symlink("nowhere", fixture.folder + "/dangling")
    #expect(await Self.error(fixture.folder + "/dangling") != nil)
  }

  @Test("a linked file's target is checked")
  func linkedFile() throws {
    let (file, link) = (folders[1] + "/file", fixture.folder + "/link")
    try fixture.write("{}", to: file)
    symlink(file, link)
    #expect(try readTrustedFile(at: link, limit: 10) == Array("{}".utf8))
    chmod(folders[1], 0o777)
    let error = #expect(throws: FileError.self) { try readTrustedFile(at: link, limit: 10) }
    #expect(error == FileError(.writableByOthers, folders[1]))
  }

  @Test(
    "an access list with another writer is rejected, for the file and its directory",
    .enabled("needs a file system with access lists") { try await Home().setAccessList("u:4711:r", of: "home") },
    arguments: [
      ("u:4711:rwx", true), ("g:4711:rwx", true), ("u:4711:rwx,m::rx", false), ("u:4711:rx,g::rwx", false),
      ("u:0:rwx,u:\(geteuid()):rwx", false),
    ],
    ["a", "a/file"]
  )
  func accessList(_ entries: (list: String, isRejected: Bool), of name: String) async throws {
    let file = folders[0] + "/file"
    try Data("{}".utf8).write(to: URL(filePath: file))
    #expect(try await fixture.home.setAccessList(entries.list, of: "state/" + name))
    let status = try fixture.home.status("state/" + name)
    // If the user's primary group isn't private, this is another group.
    let isRejected = entries.isRejected || status.st_mode & 0o020 != 0 && status.st_gid != status.st_uid
    let result = Result { () throws(FileError) in try readTrustedFile(at: file, limit: 10) }
    let rejection = FileError(.writableByOthers, fixture.folder + "/" + name)
    #expect(result == (isRejected ? .failure(rejection) : .success(Array("{}".utf8))))
  }

  @Test("another user's link or directory is rejected, even if its target is ours", arguments: ["link", "a", "a/b"])
  func otherUser(_ name: String) async throws {
    symlink(folders[0], fixture.folder + "/link")
    let place = fixture.folder + "/" + name
    let target = name == "link" ? place + "/b" : folders[1]
    // Only root can give a file away; otherwise another user runs the check.
    let isRoot = geteuid() == 0
    if isRoot { #expect(lchown(place, 4711, 4711) == 0) }
    let error = #expect(throws: FileError.self) {
      try PathTrust.check(target, for: isRoot ? 0 : geteuid() + 1)
    }
    #expect(error?.isDistrusted == true)
    if isRoot {
      #expect(error == FileError(.foreignOwner(4711), place))
      let rejection = await Self.error(target)
      #expect(rejection?.reason == .notTrusted)
      #expect(rejection?.message.hasPrefix(place + " belongs to another user") == true)
    }
  }
}
