import Glibc
import Testing

@testable import MSAuthCache

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

  @Test("ours alone says that it holds the flock, and who on which machine, whatever the program is called")
  func mark() throws {
    let own = try #require(LockOwner(content: LockOwner.content))
    #expect(own.process == getpid() && own.identity == .own)
    #expect(own.state(written: 0) == .alive)
    #expect(ProcessIdentity.own.boot != nil && ProcessIdentity.own.namespace != nil && ProcessIdentity.own.start != nil)
    for other in ["42 /usr/bin/python3", "42", "42 x (flock)", "42 x (flock a b c)", "42 x (flock a b c d e)"] {
      let owner = try #require(LockOwner(content: Array(other.utf8)))
      #expect(owner.identity == nil)
    }
    let odd = LockOwner(content: Array("42 a (flock x) (flock b 1 2 h)".utf8))
    #expect(odd?.identity == ProcessIdentity(boot: "b", namespace: "1", start: 2, host: "h"))
  }

  @Test("what cannot be removed says that its owner ended, though the process lives")
  func ended() throws {
    let owner = try #require(LockOwner(content: LockOwner.endedContent))
    #expect(owner.process == getpid() && owner.identity?.boot == ProcessIdentity.own.boot)
    #expect(owner.state(written: Int(time(nil))) == .ended)
  }

  @Test("a process that started after the file was written is another one with that id")
  func reusedID() throws {
    let start = try #require(LockOwner.start(of: getppid()))
    let owner = try #require(LockOwner(content: Array("\(getppid())".utf8)))
    #expect(owner.isOtherProcess(startedAfter: start - 10))
    #expect(!owner.isOtherProcess(startedAfter: start))
    #expect(!owner.isOtherProcess(startedAfter: Int(time(nil))))
    #expect(!owner.isGone)
  }

  @Test("a process that was killed and that nobody has buried is gone")
  func unburied() throws {
    var child = pid_t()
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
    defer { free(arguments[0]) }
    try #require(posix_spawn(&child, "/bin/true", nil, nil, &arguments, nil) == 0)
    defer { waitpid(child, nil, 0) }
    // Waits for the end, and leaves the dead where it is.
    var end = siginfo_t()
    try #require(waitid(P_PID, id_t(child), &end, WEXITED | WNOWAIT) == 0)
    #expect(kill(child, 0) == 0)
    let owner = try #require(LockOwner(content: Array("\(child) az".utf8)))
    #expect(owner.isGone)
  }

  @Test("a living process is not gone")
  func living() {
    #expect(!LockOwner.hasEnded(getpid()))
    #expect(!LockOwner.hasEnded(getppid()))
  }
}
