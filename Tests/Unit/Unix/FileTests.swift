import TestSupport
import Testing

@testable import MSAuthUnix

@Suite("file advice")
struct FileErrorTests {
  @Test(
    "for another user's file, its owner is told to fix it, not root to take it",
    arguments: [
      (1000, 0, "\(command: ["sudo", "chown", "1000", "/x"]); a program run with sudo may have created it" as Hint),
      (0, 4711, .withoutSudo(as: "4711")),
      (0, 1, .withoutSudo(as: "daemon")),
    ]
  )
  func foreignOwner(user: UInt32, owner: UInt32, hint: Hint) {
    #expect(FileError(.foreignOwner(owner), "/x").hint(for: user) == hint)
    let shared = FileError(.foreignOwner(owner), "/etc/msauth/config.json").hint(for: user)
    #expect(shared == "as root, run \(command: ["chown", "root", "/etc/msauth/config.json"])")
  }
}

@Suite("the session's directory")
struct RuntimeDirectoryTests {
  @Test("its flaw is named: another owner, or other users' access")
  func flaw() throws {
    let home = try Home()
    let directory = RuntimeDirectory(home.path("session"))
    mkdir(directory.path, 0o700)
    #expect(directory.flaw == nil)
    // Only root can give a directory away; for other users, `/` is another user's.
    let isRoot = geteuid() == 0
    if isRoot { #expect(chown(directory.path, 4711, 4711) == 0) }
    let foreign = isRoot ? directory : RuntimeDirectory("/")
    #expect(foreign.flaw == "belongs to another user (\(isRoot ? 4711 : 0))")
    #expect(chown(directory.path, geteuid(), getegid()) == 0)
    #expect(chmod(directory.path, 0o755) == 0)
    #expect(directory.flaw == "is open to others")
  }

  @Test(
    "a directory in memory is created for secrets; a link, another user's, a file and a missing parent aren't used"
  )
  func inSharedMemory() throws {
    let home = try Home(in: Home.memory)
    let foreign = home.path("run/foreign")
    symlink(home.path("data"), home.path("run/link"))
    try home.write("", to: "run/file")
    mkdir(foreign, 0o700)
    // Only root can give a directory away.
    #expect(geteuid() == 0 ? chown(foreign, 4711, 4711) == 0 : chmod(foreign, 0o777) == 0)
    let unusable = ["/proc/msauth"] + ["missing/msauth", "run/link", "run/file", "run/foreign"].map(home.path)
    for path in unusable { #expect(RuntimeDirectory.inSharedMemory(path) == nil) }
    #expect(access(home.path("missing"), F_OK) != 0)
    let usable = home.path("run/msauth")
    for _ in ["created", "found"] { #expect(RuntimeDirectory.inSharedMemory(usable) == usable) }
    #expect(try home.mode("run/msauth") == 0o700 && home.files(below: "data").isEmpty)
  }
}

@Suite("private directories")
struct PrivateDirectoryTests {
  private let home: Home

  init() throws { home = try Home() }

  private func rejection(_ path: String) -> FileError.Reason? {
    #expect(throws: FileError.self) { try PrivateDirectory(path).createExclusive() }?.reason
  }

  @Test("a directory is created with its parents, private, and can be created again, or made private")
  func created() throws {
    mkdir(home.path("readable"), 0o755)
    for name in ["a/b/msauth", "a/b/msauth", "readable"] {
      try PrivateDirectory(home.path(name)).createExclusive()
      #expect(try home.mode(name) == 0o700)
    }
    #expect(try home.mode("a") == 0o700)
  }

  @Test("a directory that others can write to is rejected and unchanged", arguments: [0o770, 0o702, 0o777] as [mode_t])
  func writable(bits: mode_t) throws {
    mkdir(home.path("msauth"), 0o700)
    chmod(home.path("msauth"), bits)
    #expect(rejection(home.path("msauth")) == .writableByOthers)
    #expect(try home.mode("msauth") == bits)
  }

  @Test("a symbolic link, a file in the way and an invalid path are rejected")
  func otherKinds() throws {
    mkdir(home.path("real"), 0o700)
    symlink(home.path("real"), home.path("link"))
    try home.write("", to: "file")
    for (name, reason) in [
      ("link", .symbolicLink), ("file", .notDirectory), ("file/below", .system(ENOTDIR)),
    ] as [(String, FileError.Reason)] { #expect(rejection(home.path(name)) == reason, "\(name)") }
    #expect(rejection("relative/msauth") != nil)
  }

  @Test("another user's directory is rejected")
  func foreign() throws {
    var (path, owner) = ("/usr", UInt32(0))
    // Only root can give a directory away, and root owns the system's.
    if geteuid() == 0 {
      (path, owner) = (home.path("msauth"), UInt32(4711))
      mkdir(path, 0o700)
      chown(path, 4711, 4711)
    }
    #expect(rejection(path) == .foreignOwner(owner))
  }

  @Test("a component that starts with a combining mark doesn't hide its parent")
  func bytes() throws {
    let parent = home.path("open")
    mkdir(parent, 0o700)
    // As characters, the slash and the mark are one, which would skip the open directory.
    let child = parent + "/\u{301}private"
    mkdir(child, 0o700)
    chmod(parent, 0o777)
    for path in [child, child + "/new"] {
      let error = #expect(throws: FileError.self) { try PrivateDirectory(path).create() }
      #expect(error == FileError(.writableByOthers, parent))
    }
    #expect(PrivateDirectory(of: child).path == parent)
    #expect((parent + "/\u{301}").pathComponents.last?.utf8.elementsEqual("\u{301}".utf8) == true)
  }
}

@Suite("reading files")
struct ReadFileTests {
  private let home: Home

  init() throws { home = try Home() }

  private func reason(_ path: String, limit: Int = 10, _ requirements: FileRequirements = FileRequirements())
    -> FileError.Reason?
  {
    Result { () throws(FileError) in try readFile(at: path, limit: limit, requiring: requirements) }.failure?.reason
  }

  @Test("a file is read to its end, up to the limit", arguments: [0, 1, 4096, 4097, 200_000])
  func limit(_ size: Int) throws {
    let path = home.path("file")
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    try Data(bytes).write(to: URL(filePath: path))
    #expect(try readFile(at: path, limit: size).bytes == bytes)
    if size > 0 { #expect(reason(path, limit: size - 1) == .tooLarge(limit: size - 1)) }
  }

  @Test("a kernel file, whose size is 0, has the same limit")
  func kernel() throws {
    let status = try readFile(at: "/proc/self/status", limit: 1 << 20).bytes
    #expect(status.starts(with: "Name:".utf8) && reason("/proc/self/status", limit: 20) == .tooLarge(limit: 20))
  }

  @Test("a missing file, a directory and an invalid path have different errors")
  func kinds() throws {
    mkfifo(home.path("fifo"), 0o600)
    for (name, expected) in [
      ("nothing", .missing), ("home", .notRegularFile), ("fifo", .notRegularFile), ("file\0.bak", .invalidPath),
    ] as [(String, FileError.Reason)] { #expect(reason(home.folder.path + "/" + name) == expected, "\(name)") }
  }

  @Test("requirements are checked one by one")
  func requirements() throws {
    let path = home.path("file")
    try Data().write(to: URL(filePath: path))
    for (mode, forWriting, forAll) in [
      (0o600, nil, nil), (0o640, nil, .accessibleByOthers), (0o602, .writableByOthers, .accessibleByOthers),
      (0o620, .writableByOthers, .accessibleByOthers),
    ] as [(mode_t, FileError.Reason?, FileError.Reason?)] {
      chmod(path, mode)
      #expect(reason(path) == nil)
      #expect(reason(path, FileRequirements(forbiddenMode: 0o022)) == forWriting)
      #expect(reason(path, .secret) == forAll)
    }
    chmod(path, 0o600)
    #expect(reason(path, FileRequirements(owners: [geteuid() + 1])) == .foreignOwner(geteuid()))
    symlink(path, home.path("link"))
    #expect(reason(home.path("link")) == nil)
    #expect(reason(home.path("link"), .secret) == .symbolicLink)
    link(path, home.path("second"))
    #expect(reason(path) == nil)
    #expect(reason(path, .secret) == .hardLink)
  }

  @Test(
    "a service manager's secret is readable by its owner, and by this user through an access list",
    .enabled("needs a file system with access lists") { try await Home().setAccessList("u:4711:r", of: "home") },
    arguments: [
      (0o400, nil, true), (0o600, nil, true), (0o640, nil, false), (0o604, nil, false),
      (0o400, "u:\(geteuid()):r", true), (0o400, "u:\(geteuid()):rw", false), (0o440, "u:\(geteuid()):r", false),
      (0o400, "u:\(geteuid()):r,u:4711:r", false), (0o400, "u:\(geteuid()):r,g:4711:r", false),
      (0o400, "u:4711:r", false),
    ] as [(Int, String?, Bool)]
  )
  func credential(mode: Int, entries: String?, isAccepted: Bool) async throws {
    let path = try home.write("key", to: "key", mode: mode)
    if let entries { #expect(try await home.setAccessList(entries, of: "key")) }
    #expect(reason(path, .credential) == (isAccepted ? nil : .accessibleByOthers))
  }
}

@Suite("replacing files")
struct ReplaceFileTests {
  private let home: Home

  init() throws { home = try Home() }

  @Test("the new file has its content, mode 0600 and the given date, and no other file is left")
  func replaced() throws {
    let path = home.path("config/config.json")
    for text in ["{}", "[]"] {
      try replaceFile(at: path, with: Array(text.utf8), modified: 1_000_000_000)
      #expect(home.read("config/config.json") == text)
    }
    let status = try home.status("config/config.json")
    #expect(status.st_mode & 0o777 == 0o600 && status.st_mtim.tv_sec == 1_000_000_000)
    #expect(home.files(below: "config") == ["config.json"])
  }

  @Test("the condition is checked when the content is complete; if it is false, the target is unchanged")
  func condition() throws {
    let path = try home.write("old", to: "config/config.json", mode: 0o600)
    let error = #expect(throws: FileError.self) {
      try Draft(beside: path).commit(
        Array("new".utf8),
        if: {
          #expect(home.files(below: "config").count == 2)
          return false
        }
      )
    }
    #expect(error?.reason == .system(ECANCELED) && home.read("config/config.json") == "old")
    #expect(home.files(below: "config") == ["config.json"])
  }

  @Test("leftovers of a killed writer are removed after a minute, other files never")
  func abandoned() throws {
    let path = home.path("config/config.json")
    let (abandoned, young) = ("config/config.json.1f0.new", "config/config.json.aaaaaaaaaaaaaaaa.new")
    let others = ["config/config.json.bak", "config/config.json.mine.new", "config/other.json.12.new"]
    for file in [abandoned, young] + others { try home.write("x", to: file) }
    for file in [abandoned] + others {
      try FileManager.default.setAttributes([.modificationDate: Date.now - 3600], ofItemAtPath: home.path(file))
    }
    try replaceFile(at: path, with: Array("{}".utf8))
    #expect(home.files(below: ".") == ([young, "config/config.json"] + others).sorted())
  }

  @Test(
    "after a failure nothing is left, and the error names the file",
    arguments: [("config/none/config.json", ENOENT), ("config", EISDIR)]
  )
  func rejected(_ relative: String, _ code: Int32) throws {
    let path = home.path(relative)
    #expect(throws: FileError(.system(code), path)) { try replaceFile(at: path, with: [1]) }
    #expect(home.files(below: ".") == [])
  }

  @Test("each content is stored once, under its own name, private")
  func copies() throws {
    let path = home.path("config/config.json")
    let copies = [("{}", ".bak", true), ("{}", ".bak", false), ("[]", ".bak.2", true), ("{}", ".bak", false)]
    for (text, name, isNew) in copies {
      try home.write(text, to: "config/config.json", mode: 0o644)
      let copy = try keepCopy(of: path)
      #expect(copy == (path + name, isNew) && home.read("config/config.json" + name) == text)
      #expect(try home.mode("config/config.json" + name) == 0o600)
    }
    #expect(home.files(below: ".").count == 3)
  }

  @Test("a prepared file appears with its content, and doesn't replace one")
  func prepared() throws {
    let path = home.path("lock")
    let descriptor = linkPreparedFile(at: path) { descriptor in
      #expect(access(path, F_OK) != 0)
      write(descriptor, "owner", 5)
    }
    // Some file systems have no files without names.
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    #expect(home.read("lock") == "owner")
    #expect(linkPreparedFile(at: path) { _ in } < 0)
  }

  @Test("a directory that can't be listed is an error, not empty")
  func unlisted() throws {
    try home.write("", to: "config/file")
    #expect(throws: FileError(.system(ENOTDIR), home.path("config/file"))) {
      try files(namedAfter: home.path("config/file/cache"))
    }
  }
}
