import MSAuthUnix
import TestSupport
import Testing

@Suite("Reading a file")
struct ReadFileTests {
  private func reason(_ path: String, limit: Int = 10, _ requirements: FileRequirements = FileRequirements())
    -> FileError.Reason?
  {
    do throws(FileError) {
      _ = try readFile(at: path, limit: limit, requiring: requirements)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test("it is read to its end, up to the limit and not beyond", arguments: [0, 1, 4096, 4097, 200_000])
  func limit(_ size: Int) throws {
    let home = try Home()
    let path = home.path("file")
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    try Data(bytes).write(to: URL(filePath: path))
    #expect(try readFile(at: path, limit: size).bytes == bytes)
    if size > 0 { #expect(reason(path, limit: size - 1) == .tooLarge(limit: size - 1)) }
  }

  @Test("a file of the kernel's, which says that it is empty, has the same limit")
  func kernel() throws {
    let status = try readFile(at: "/proc/self/status", limit: 1 << 20).bytes
    #expect(String(decoding: status, as: UTF8.self).hasPrefix("Name:"))
    #expect(reason("/proc/self/status", limit: 20) == .tooLarge(limit: 20))
  }

  @Test("what is not there, not a file, or not a path is an error of its own, at once")
  func kinds() throws {
    let home = try Home()
    #expect(reason(home.path("nothing")) == .missing)
    #expect(reason(home.path("home")) == .notRegularFile)
    mkfifo(home.path("fifo"), 0o600)
    #expect(reason(home.path("fifo")) == .notRegularFile)
    #expect(reason(home.path("file") + "\0.bak") == .invalidPath)
  }

  @Test("requirements are checked one by one")
  func requirements() throws {
    let home = try Home()
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
    "a secret from a service manager is for its owner, and for this user by an access list",
    .enabled("needs a file system with access lists") { try await Home().setAccessList("u:4711:r", of: "home") },
    arguments: [
      (0o400, nil, true), (0o600, nil, true), (0o640, nil, false), (0o604, nil, false),
      (0o400, "u:\(geteuid()):r", true), (0o400, "u:\(geteuid()):rw", false), (0o440, "u:\(geteuid()):r", false),
      (0o400, "u:\(geteuid()):r,u:4711:r", false), (0o400, "u:\(geteuid()):r,g:4711:r", false),
      (0o400, "u:4711:r", false),
    ] as [(Int, String?, Bool)]
  )
  func credential(mode: Int, entries: String?, isAccepted: Bool) async throws {
    let home = try Home()
    let path = try home.write("key", to: "key", mode: mode)
    if let entries { #expect(try await home.setAccessList(entries, of: "key")) }
    #expect(reason(path, .credential) == (isAccepted ? nil : .accessibleByOthers))
  }
}
