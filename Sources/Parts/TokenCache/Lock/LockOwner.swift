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

  /// The content of this process's lock file; `hasEnded` marks one that can't be removed, so that others don't wait.
  static func content(hasEnded: Bool = false) -> [UInt8] {
    var identity = ProcessIdentity.current
    // No process started at this time, so others see that the owner ended.
    if hasEnded { identity.start = 0 }
    let name = ProcessArguments.all.first ?? "msauth"
    return Array("\(getpid()) \(name.printable(limit: maximumNameLength))\(mark)\(identity.string))".utf8)
  }

  init?(content: some Collection<UInt8>) {
    // .NET begins with a byte order mark.
    let text = content.starts(with: [0xEF, 0xBB, 0xBF]) ? content.dropFirst(3) : content[...]
    let digits = text.prefix(while: \.isASCIIDigit)
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
    if identity.identifies(process) { return hasEnded ? .ended : .alive }
    let current = ProcessIdentity.current
    guard let boot = identity.boot, boot == current.boot else {
      // A machine keeps its name after a restart.
      return identity.host == current.host ? .foreign : .elsewhere
    }
    return identity.namespace != nil && identity.namespace == current.namespace ? .ended : .foreign
  }

  /// Whether no process has that ID, or only a zombie.
  var hasEnded: Bool {
    if kill(process, 0) != 0 { return errno == ESRCH }
    // Killed, but not reaped by its parent (proc_pid_stat(5), field 3): in a container without an init it keeps its ID
    // forever.
    return ["Z", "X"].contains(ProcessIdentity.statFields(of: process)?.dropFirst().first)
  }

  /// Whether the process that has the ID seems to have started after the file was written, so it isn't the owner.
  func isOtherProcess(startedAfter written: Int) -> Bool {
    // A file of this process has its identity, so the owner was a process of another container with the same small ID.
    if process == getpid() { return true }
    guard let start = Self.startTime(of: process) else { return false }
    return start > written + Self.clockTolerance
  }

  /// Both clocks are rounded to seconds, and the process's start to ticks.
  private static let clockTolerance = 2

  /// When a process started, in Unix seconds.
  static func startTime(of process: pid_t) -> Int? {
    guard let ticks = ProcessIdentity.startTicks(of: process) else { return nil }
    var (now, uptime) = (timespec(), timespec())
    clock_gettime(CLOCK_REALTIME, &now)
    clock_gettime(CLOCK_BOOTTIME, &uptime)
    return now.tv_sec - uptime.tv_sec + ticks / sysconf(Int32(_SC_CLK_TCK))
  }
}
