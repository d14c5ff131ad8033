import Glibc
import Testing

@testable import TokenCache

@Suite("The owner that a lock file names")
struct LockOwnerTests {
  @Test(
    "every library's file names its process",
    arguments: [
      ("42 /usr/bin/python3", 42), ("42", 42), ("42 app\n", 42), ("\u{FEFF}42 app\n", 42), ("42\n", 42), ("", nil),
      ("x 42", nil), ("42x", nil), ("-42 x", nil), ("0 x", nil), ("99999999999999999999 x", nil), (" 42", nil),
    ] as [(String, pid_t?)]
  )
  func content(_ text: String, _ process: pid_t?) {
    #expect(LockOwner(content: Array(text.utf8))?.process == process)
  }

  @Test("a process that started after the file was written is another one with that id")
  func reusedID() throws {
    let start = try #require(LockOwner.start(of: getppid()))
    let owner = try #require(LockOwner(content: Array("\(getppid())".utf8)))
    #expect(owner.isGone(written: start - 10))
    #expect(!owner.isGone(written: start))
    #expect(!owner.isGone(written: Int(time(nil))))
  }
}
