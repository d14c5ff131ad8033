import Glibc
import Testing

@testable import MSAuthCache
@testable import MSAuthUnix

@Suite("the lock file's owner")
struct LockOwnerTests {
  @Test(
    "every library's file has its process ID",
    arguments: [
      ("42 /usr/bin/python3", 42), ("42", 42), ("42 app\n", 42), ("\u{FEFF}42 app\n", 42), ("42\n", 42), ("", nil),
      ("x 42", nil), ("42x", nil), ("-42 x", nil), ("0 x", nil), ("99999999999999999999 x", nil), (" 42", nil),
    ] as [(String, pid_t?)]
  )
  func content(_ text: String, _ process: pid_t?) {
    #expect(LockOwner(content: Array(text.utf8))?.process == process)
  }

  @Test("only msauth's file has the flock's mark and the machine, whatever the program's name")
  func mark() throws {
    let own = try #require(LockOwner(content: LockOwner.content()))
    #expect(own.process == getpid() && own.identity == .current)
    #expect(own.state(written: 0) == .alive)
    let current = ProcessIdentity.current
    #expect(current.boot != nil && current.namespace != nil && current.start != nil)
    for other in ["42 /usr/bin/python3", "42", "42 x (flock)", "42 x (flock a b c)", "42 x (flock a b c d e)"] {
      #expect(try #require(LockOwner(content: Array(other.utf8))).identity == nil)
    }
    let odd = LockOwner(content: Array("42 a (flock x) (flock b 1 2 h)".utf8))
    #expect(odd?.identity == ProcessIdentity(boot: "b", namespace: "1", start: 2, host: "h"))
  }

  @Test("an unremovable file can be marked as ended, although the process runs")
  func ended() throws {
    let owner = try #require(LockOwner(content: LockOwner.content(hasEnded: true)))
    #expect(owner.process == getpid() && owner.identity?.boot == ProcessIdentity.current.boot)
    #expect(owner.state(written: Int(time(nil))) == .ended)
  }

  @Test("a process that started after the file was written is a different one")
  func reusedID() throws {
    let start = try #require(LockOwner.startTime(of: getppid()))
    let owner = try #require(LockOwner(content: Array("\(getppid())".utf8)))
    #expect(owner.isOtherProcess(startedAfter: start - 10))
    for time in [start, Int(time(nil))] { #expect(!owner.isOtherProcess(startedAfter: time)) }
    #expect(!owner.hasEnded)
  }

  @Test("a zombie process has ended")
  func zombie() throws {
    var child = pid_t()
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
    defer { free(arguments[0]) }
    try #require(posix_spawn(&child, "/bin/true", nil, nil, &arguments, nil) == 0)
    defer { waitpid(child, nil, 0) }
    // Waits for the end without reaping.
    var end = siginfo_t()
    try #require(waitid(P_PID, id_t(child), &end, WEXITED | WNOWAIT) == 0)
    #expect(kill(child, 0) == 0)
    let owner = try #require(LockOwner(content: Array("\(child) az".utf8)))
    #expect(owner.hasEnded)
  }
}
