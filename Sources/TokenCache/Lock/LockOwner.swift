import Core
import FoundationEssentials
import Glibc
import Unix

/// The owner that a lock file names: all libraries write their process id at its start, most a program's name after it.
struct LockOwner: Equatable {
  let process: pid_t
  /// Whether it holds the `flock` as long as it lives, as its file says; only ours say so.
  let holdsFlock: Bool

  /// What says so, at the end of the file.
  private static let mark = " (flock)"
  /// The program's name in the file is for people.
  private static let maximumNameLength = 100
  /// Room for an id, such a name in UTF-8, and the mark.
  private static let maximumContentSize = 512

  /// What this process writes into a lock file.
  static var content: [UInt8] {
    let name = CommandLine.arguments.first ?? "msauth"
    return Array("\(getpid()) \(name.printable(limit: maximumNameLength))\(mark)".utf8)
  }

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
    holdsFlock = rest.suffix(Self.mark.utf8.count).elementsEqual(Self.mark.utf8)
  }

  /// Reads the owner from an open lock file.
  init?(of descriptor: Int32) {
    var bytes = [UInt8](repeating: 0, count: Self.maximumContentSize)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    self.init(content: bytes.prefix(count))
  }

  /// Whether no process has that id, or one has it in name only.
  var isGone: Bool {
    if kill(process, 0) != 0 { return errno == ESRCH }
    // Killed, and not yet asked for by its parent: in a container without an init it keeps its number for good.
    return Self.hasEnded(process)
  }

  /// Whether the process that has the id seems to have started after the file was written, and so to be another one.
  ///
  /// - Parameter written: When, in Unix seconds, by the clock of that time. If it was set forward since, the owner itself
  ///   seems to be younger than its file.
  /// - Returns: Whether it seems so.
  func isOtherProcess(startedAfter written: Int) -> Bool {
    // Whatever this process locks says that it holds the flock. In a container the same small ids come again and again.
    if process == getpid() { return true }
    guard let start = Self.start(of: process) else { return false }
    return start > written + Self.clockTolerance
  }

  /// Boot time is rounded to seconds, and both clocks to ticks.
  private static let clockTolerance = 2

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
    // /proc/stat has a line for each of up to some thousand processors, and one number for each interrupt.
    (try? readFile(at: path, limit: 4 << 20)).map { String(decoding: $0.bytes, as: UTF8.self) }
  }
}
