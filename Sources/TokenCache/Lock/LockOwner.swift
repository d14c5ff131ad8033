import FoundationEssentials
import Glibc

/// Whom a lock file names: all libraries write their process id at its start, most a program's name after it.
struct LockOwner: Equatable {
  let process: pid_t

  /// Reads the start of a lock file.
  ///
  /// - Returns: nil when it names nobody, as in the moment between its creation and the first write.
  init?(content: some Collection<UInt8>) {
    // .NET begins with a byte order mark.
    let text = content.starts(with: [0xEF, 0xBB, 0xBF]) ? content.dropFirst(3) : content[...]
    let digits = text.prefix { (0x30...0x39).contains($0) }
    let rest = text.dropFirst(digits.count)
    guard rest.first.map({ $0 <= 0x20 }) ?? true, let process = pid_t(String(decoding: digits, as: UTF8.self)),
      process > 0
    else { return nil }
    self.process = process
  }

  /// Reads the owner from an open lock file.
  init?(of descriptor: Int32) {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    self.init(content: bytes.prefix(count))
  }

  /// Whether that process is gone, or another one has its id now.
  ///
  /// - Parameter written: When it wrote the lock file, in Unix seconds. Whoever started later cannot have written it.
  /// - Returns: Whether nobody can be at work under that id.
  func isGone(written: Int) -> Bool {
    // Every lock of this process holds the flock as well, and the caller has just got that: the id is a namesake's.
    // In a container the same small ids come again and again.
    if process == getpid() { return true }
    if kill(process, 0) != 0 { return errno == ESRCH }
    // Killed, and not yet asked for by its parent: in a container without an init it keeps its number for good.
    if Self.hasEnded(process) { return true }
    guard let start = Self.start(of: process) else { return false }
    return start > written + Self.clockSlack
  }

  /// Boot time is rounded to seconds, and both clocks to ticks.
  private static let clockSlack = 2

  /// When a process started, in Unix seconds; nil where /proc does not tell.
  static func start(of process: pid_t) -> Int? {
    guard let fields = fields(of: process), let all = contents("/proc/stat"),
      let bootLine = all.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
      let boot = Int(bootLine.dropFirst("btime ".count))
    else { return nil }
    guard fields.count > 20, let ticks = Int(fields[20]) else { return nil }
    let rate = sysconf(Int32(_SC_CLK_TCK))
    return rate > 0 ? boot + ticks / rate : nil
  }

  /// Whether a process is one in name only: a zombie, or just going away (proc_pid_stat(5), field 3).
  static func hasEnded(_ process: pid_t) -> Bool {
    guard let fields = fields(of: process), fields.count > 1 else { return false }
    return fields[1] == "Z" || fields[1] == "X"
  }

  /// What /proc tells of a process, from the end of its name on; nil where it does not tell.
  private static func fields(of process: pid_t) -> [Substring]? {
    // The second field is the program's name in brackets, in which anything may stand (proc_pid_stat(5)).
    guard let stat = contents("/proc/\(process)/stat"), let end = stat.lastIndex(of: ")") else { return nil }
    return stat[end...].split(separator: " ")
  }

  private static func contents(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(contentsOf: chunk.prefix(count))
    }
  }
}
