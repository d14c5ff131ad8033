package import Glibc
import MSAuthCore

/// Identifies a process across containers, reboots and machines that share a file system.
package struct ProcessIdentity: Equatable, Sendable {
  /// The kernel's ID of this start of the machine (proc_sys_kernel(5): `random/boot_id`).
  package var boot: String?
  /// The PID namespace (pid_namespaces(7)).
  package var namespace: String?
  /// When the process started, in ticks since the machine did (proc_pid_stat(5), field 22).
  package var start: Int?
  /// The machine's name, for messages and to recognize a machine after a restart.
  package var host: String

  package static let current = ProcessIdentity(
    boot: (try? readFile(at: "/proc/sys/kernel/random/boot_id", limit: 100))?.bytes.firstLine,
    namespace: inode("/proc/self/ns/pid").map(String.init),
    start: startTicks(of: getpid()),
    host: hostName
  )

  /// The form in a file.
  package var string: String {
    [boot ?? "-", namespace ?? "-", start.map(String.init) ?? "-", host].joined(separator: " ")
  }

  /// Whether it identifies that process: its ID may mean a later process by now, or a different one in this container.
  package func identifies(_ process: pid_t) -> Bool {
    let current = Self.current
    return boot != nil && boot == current.boot && namespace != nil && namespace == current.namespace
      && start == Self.startTicks(of: process)
  }

  /// When a process started, in ticks since the machine did.
  package static func startTicks(of process: pid_t) -> Int? {
    guard let fields = statFields(of: process), fields.count > 20 else { return nil }
    return Int(fields[20])
  }

  /// The fields of `/proc/PID/stat` from the end of the program's name on.
  package static func statFields(of process: pid_t) -> [Substring]? {
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
  /// Reads the form in a file.
  package init?(_ string: Substring) {
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
