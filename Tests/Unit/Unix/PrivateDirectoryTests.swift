import MSAuthUnix
import TestSupport
import Testing

@Suite("A private directory")
struct PrivateDirectoryTests {
  @Test("a directory is made with all above it, for us alone, and made again without harm")
  func created() throws {
    let home = try Home()
    let path = home.path("a/b/msauth")
    for _ in 0..<2 {
      try PrivateDirectory(path).createExclusive()
      #expect(mode(path) == 0o700)
      #expect(mode(home.path("a")) == 0o700)
    }
  }

  @Test("a directory that others may read is closed to them")
  func closed() throws {
    let home = try Home()
    mkdir(home.path("msauth"), 0o755)
    try PrivateDirectory(home.path("msauth")).createExclusive()
    #expect(mode(home.path("msauth")) == 0o700)
  }

  @Test("one that others may write into is refused and left alone", arguments: [0o770, 0o702, 0o777] as [mode_t])
  func writable(bits: mode_t) throws {
    let home = try Home()
    mkdir(home.path("msauth"), 0o700)
    chmod(home.path("msauth"), bits)
    let error = #expect(throws: FileError.self) { try PrivateDirectory(home.path("msauth")).createExclusive() }
    #expect(error?.reason == .writableByOthers)
    #expect(mode(home.path("msauth")) == bits)
  }

  @Test("a symbolic link is refused")
  func link() throws {
    let home = try Home()
    mkdir(home.path("real"), 0o700)
    symlink(home.path("real"), home.path("msauth"))
    let error = #expect(throws: FileError.self) { try PrivateDirectory(home.path("msauth")).createExclusive() }
    #expect(error?.reason == .symbolicLink)
  }

  @Test("a directory of another user is refused")
  func foreign() throws {
    let home = try Home()
    var (path, owner) = ("/usr", UInt32(0))
    // Only root can give a directory away, and only root owns the system's.
    if geteuid() == 0 {
      (path, owner) = (home.path("msauth"), UInt32(4711))
      mkdir(path, 0o700)
      chown(path, 4711, 4711)
    }
    let error = #expect(throws: FileError.self) { try PrivateDirectory(path).createExclusive() }
    #expect(error?.reason == .foreignOwner(owner))
  }

  @Test("a file in the way, and a path that is none, are errors", arguments: ["file", "file/below"])
  func file(name: String) throws {
    let home = try Home()
    try "".write(toFile: home.path("file"), atomically: true, encoding: .utf8)
    let error = #expect(throws: FileError.self) { try PrivateDirectory(home.path(name)).createExclusive() }
    #expect(error?.reason == (name == "file" ? .notDirectory : .system(ENOTDIR)))
    #expect(throws: FileError.self) { try PrivateDirectory("relative/msauth").createExclusive() }
  }

  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  @Test("a component that begins with a combining mark does not hide its parent")
  func bytes() throws {
    let home = try Home()
    let parent = home.path("open")
    mkdir(parent, 0o700)
    // As characters, the slash and the mark are one, so that the open directory would not be seen.
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
