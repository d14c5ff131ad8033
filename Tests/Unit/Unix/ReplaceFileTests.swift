import MSAuthUnix
import TestSupport
import Testing

@Suite("A file that is replaced in one step")
struct ReplaceFileTests {
  @Test("it has the new content, mode 0600 and the date that is asked for, and nothing lies beside it")
  func replaced() throws {
    let home = try Home()
    let path = home.path("config/config.json")
    for text in ["{}", "[]"] {
      try replaceFile(at: path, with: Array(text.utf8), modified: 1_000_000_000)
      #expect(home.read("config/config.json") == text)
    }
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600 && status.st_mtim.tv_sec == 1_000_000_000)
    #expect(home.files(below: "config") == ["config.json"])
  }

  @Test("what a writer that died has left is removed by the next one after a minute; another file never is")
  func abandoned() throws {
    let home = try Home()
    let path = home.path("config/config.json")
    let (abandoned, young) = ("config/config.json.1f0.new", "config/config.json.aaaaaaaaaaaaaaaa.new")
    let others = ["config/config.json.bak", "config/config.json.mine.new", "config/other.json.12.new"]
    for file in [abandoned, young] + others { try home.write("x", to: file) }
    for file in [abandoned] + others {
      let then = timeval(tv_sec: time(nil) - 3600, tv_usec: 0)
      _ = [then, then].withUnsafeBufferPointer { utimes(home.path(file), $0.baseAddress) }
    }
    try replaceFile(at: path, with: Array("{}".utf8))
    #expect(home.files(below: ".") == ([young, "config/config.json"] + others).sorted())
  }

  @Test(
    "where it cannot be made nothing is left, and the error names it",
    arguments: [("config/none/config.json", ENOENT), ("config", EISDIR)]
  )
  func refused(_ relative: String, _ code: Int32) throws {
    let home = try Home()
    let path = home.path(relative)
    #expect(throws: FileError(.system(code), path)) { try replaceFile(at: path, with: [1]) }
    #expect(home.files(below: ".") == [])
  }

  @Test("each content is kept once, under a name of its own, for this user alone")
  func copies() throws {
    let home = try Home()
    let path = home.path("config/config.json")
    let copies = [("{}", ".bak", true), ("{}", ".bak", false), ("[]", ".bak.2", true), ("{}", ".bak", false)]
    for (text, name, isNew) in copies {
      try home.write(text, to: "config/config.json", mode: 0o644)
      let copy = try keepCopy(of: path)
      #expect(copy == (path + name, isNew) && home.read("config/config.json" + name) == text)
      var status = stat()
      #expect(stat(copy.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
    #expect(home.files(below: ".").count == 3)
  }

  @Test("a directory that cannot be listed is an error, and no empty one")
  func unlisted() throws {
    let home = try Home()
    try home.write("", to: "config/file")
    #expect(throws: FileError(.system(ENOTDIR), home.path("config/file"))) {
      try companions(of: home.path("config/file/cache"))
    }
  }
}
