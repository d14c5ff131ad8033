import Glibc
import MSAuthCore
import MSAuthUnix
import Testing

@testable import msauth

@Suite("a process beside another program")
struct ProcessLauncherTests {
  @Test("a program that can't be executed is an error", arguments: [("/nonexistent", ENOENT), ("/etc/passwd", EACCES)])
  func notExecuted(program: String, code: Int32) {
    #expect(throws: FileError(.system(code), program)) {
      try ProcessLauncher.spawnCompanion([], keeping: STDERR_FILENO, program: program)
    }
  }

  @Test("descriptors beyond 1024 are inherited, unless they close")
  func highDescriptors() throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_max > 3000 else { return }
    limit.rlim_cur = max(limit.rlim_cur, 3000)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let (kept, closing) = (fcntl(STDERR_FILENO, F_DUPFD, 2000), fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 2000))
    defer { for descriptor in [kept, closing] { close(descriptor) } }
    let inherited = ProcessLauncher.inheritedDescriptors
    #expect(kept >= 2000 && inherited.contains(kept) && !inherited.contains(closing))
  }

  @Test("a program has its arguments, the kept descriptor as 3, and none of the others")
  func executed() throws {
    let other = open("/dev/null", O_RDONLY)
    defer { close(other) }
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0 && other > 3)
    let script = "if [ -e /proc/$$/fd/$1 ]; then echo open >&3; else echo closed >&3; fi"
    try ProcessLauncher.spawnCompanion(["-c", script, "sh", "\(other)"], keeping: ends[1], program: "/bin/sh")
    close(ends[1])
    #expect(String(decoding: readLine(from: ends[0]), as: UTF8.self) == "closed\n")
  }
}
