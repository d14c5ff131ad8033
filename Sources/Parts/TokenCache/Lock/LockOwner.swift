import Glibc
import MSAuthCore
import MSAuthUnix

/// The owner that a lock file names: all libraries write their process ID at its start, most a program's name after it.
struct LockOwner: Equatable {
  let process: pid_t
  /// The program's name without its directory, if the file has one.
  let program: String?
  /// Identifies process and machine; present only in msauth's own files, whose owner holds the `flock` while it lives.
  let identity: ProcessIdentity?

  private static let mark = " (flock "
  private static let maximumNameLength = 100
  /// An ID, such a name in UTF-8, and an identity.
  private static let maximumContentSize = 1024

  /// The content of this process's lock file; with `hasEnded`, of one that it can't remove, so that others don't wait.
  static func content(hasEnded: Bool = false) -> [UInt8] {
    var identity = ProcessIdentity.current
    // No process has started then.
    if hasEnded { identity.start = 0 }
    let name = ProcessArguments.all.first ?? "msauth"
    return Array("\(getpid()) \(name.printable(limit: maximumNameLength))\(mark)\(identity.string))".utf8)
  }

  init?(content: some Collection<UInt8>) {
    // .NET begins with a byte order mark.
    let text = content.starts(with: [0xEF, 0xBB, 0xBF]) ? content.dropFirst(3) : content[...]
    let digits = text.prefix { (0x30...0x39).contains($0) }
    let rest = text.dropFirst(digits.count)
    guard rest.first.map({ $0 <= 0x20 }) ?? true, let process = pid_t(String(decoding: digits, as: UTF8.self)),
      process > 0
    else { return nil }
    self.process = process
    let description = String(decoding: rest, as: UTF8.self)
    var name = description[...]
    if description.utf8.last == UInt8(ascii: ")"), let mark = description.ranges(of: Self.mark).last {
      identity = ProcessIdentity(description[mark.upperBound...].dropLast())
      name = description[..<mark.lowerBound]
    } else {
      identity = nil
    }
    while let last = name.utf8.last, last <= 0x20 { name.unicodeScalars.removeLast() }
    program = name.utf8.drop { $0 <= 0x20 }.split(separator: UInt8(ascii: "/")).last
      .map { String(decoding: $0, as: UTF8.self).printable(limit: Self.maximumNameLength) }
  }

  init?(of descriptor: Int32) {
    var bytes = [UInt8](repeating: 0, count: Self.maximumContentSize)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    self.init(content: bytes.prefix(count))
  }

  /// The owner's state, if the `flock` is or may be free.
  enum State: Equatable {
    case alive
    case ended
    /// Its ID matches no process here; it may live in another container.
    case foreign
    /// It runs, or ran, on another machine.
    case elsewhere
    /// Its ID now seems to belong to another process.
    case idReused
  }

  /// A free `flock` doesn't prove that the owner ended: on some network file systems each machine has its own.
  func state(written: Int) -> State {
    guard let identity else {
      if hasEnded { return .foreign }
      return isOtherProcess(startedAfter: written) ? .idReused : .alive
    }
    let current = ProcessIdentity.current
    guard let boot = identity.boot, boot == current.boot else {
      // A machine keeps its name after a restart.
      return identity.host == current.host ? .foreign : .elsewhere
    }
    guard let namespace = identity.namespace, namespace == current.namespace else { return .foreign }
    return !hasEnded && identity.start == ProcessIdentity.start(of: process) ? .alive : .ended
  }

  /// Whether no process has that ID, or only a zombie.
  var hasEnded: Bool {
    if kill(process, 0) != 0 { return errno == ESRCH }
    // Killed, but not reaped by its parent (proc_pid_stat(5), field 3): in a container without an init it keeps its ID
    // forever.
    return ["Z", "X"].contains(ProcessIdentity.fields(of: process)?.dropFirst().first)
  }

  /// Whether the process that has the ID seems to have started after the file was written, so it isn't the owner.
  func isOtherProcess(startedAfter written: Int) -> Bool {
    // The files of this process have its identity. Containers reuse the same small IDs.
    if process == getpid() { return true }
    guard let start = Self.start(of: process) else { return false }
    return start > written + Self.clockTolerance
  }

  /// Both clocks are rounded to seconds, and the process's start to ticks.
  private static let clockTolerance = 2

  /// When a process started, in Unix seconds.
  static func start(of process: pid_t) -> Int? {
    guard let ticks = ProcessIdentity.start(of: process) else { return nil }
    var (now, uptime) = (timespec(), timespec())
    clock_gettime(CLOCK_REALTIME, &now)
    clock_gettime(CLOCK_BOOTTIME, &uptime)
    return now.tv_sec - uptime.tv_sec + ticks / sysconf(Int32(_SC_CLK_TCK))
  }
}

/// Identifies a process across containers, reboots and machines that share a file system.
struct ProcessIdentity: Equatable, Sendable {
  /// The kernel's ID of this start of the machine (proc_sys_kernel(5): `random/boot_id`).
  var boot: String?
  /// The PID namespace (pid_namespaces(7)).
  var namespace: String?
  /// When the process started, in ticks since the machine did (proc_pid_stat(5), field 22).
  var start: Int?
  /// The machine's name, for messages and to recognize a machine after a restart.
  var host: String

  static let current = ProcessIdentity(
    boot: (try? readFile(at: "/proc/sys/kernel/random/boot_id", limit: 100))
      .map { String(decoding: $0.bytes.filter { $0 > 0x20 }, as: UTF8.self) },
    namespace: inode("/proc/self/ns/pid").map(String.init),
    start: start(of: getpid()),
    host: hostName
  )

  /// The form in a lock file.
  var string: String {
    [boot ?? "-", namespace ?? "-", start.map(String.init) ?? "-", host].joined(separator: " ")
  }

  /// When a process started, in ticks since the machine did.
  static func start(of process: pid_t) -> Int? {
    guard let fields = fields(of: process), fields.count > 20 else { return nil }
    return Int(fields[20])
  }

  /// The fields of `/proc/PID/stat` from the end of the program's name on.
  static func fields(of process: pid_t) -> [Substring]? {
    // The second field is the program's name in brackets, which may contain anything (proc_pid_stat(5)).
    guard let bytes = try? readFile(at: "/proc/\(process)/stat", limit: 64 << 10).bytes else { return nil }
    let stat = String(decoding: bytes, as: UTF8.self)
    guard let end = stat.lastIndex(of: ")") else { return nil }
    return stat[end...].split(separator: " ")
  }

  private static func inode(_ path: String) -> UInt64? {
    var status = stat()
    return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
  }

  private static var hostName: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return "-" }
    let word = String(cString: &bytes).printable(limit: 64).filter { $0 != " " }
    return word.isEmpty ? "-" : word
  }
}

extension ProcessIdentity {
  /// Reads the form in a lock file.
  init?(_ string: Substring) {
    let fields = string.split(separator: " ").map(String.init)
    guard fields.count == 4 else { return nil }
    self.init(
      boot: fields[0] == "-" ? nil : fields[0],
      namespace: fields[1] == "-" ? nil : fields[1],
      start: Int(fields[2]),
      host: fields[3]
    )
  }
}
