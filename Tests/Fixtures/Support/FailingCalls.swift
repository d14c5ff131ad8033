/// Makes a program's system calls fail, or kills it before one: `failing-calls.c`.
package struct FailingCalls: Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    /// Killed before the call.
    case kill
    /// EIO.
    case disk
    /// ENOSPC.
    case space
    /// EACCES.
    case access
    /// EMFILE, ENOLCK or ENOMEM.
    case limit
    /// EINTR.
    case interrupted
    /// Half of the bytes are read or written.
    case part
    /// ECONNRESET.
    case peer
    /// EBUSY.
    case busy
    /// EOPNOTSUPP.
    case unsupported

    /// Whether its cause would make the next call fail too, as a full disk does.
    fileprivate var mayLast: Bool { [.disk, .space, .access, .limit, .busy, .unsupported].contains(self) }

    /// The system's possible messages.
    package var words: [String] {
      switch self {
      case .kill, .part: []
      case .disk: ["Input/output error"]
      case .space: ["No space left on device"]
      case .access: ["Permission denied"]
      case .limit: ["Too many open files", "No locks available", "Cannot allocate memory"]
      case .interrupted: ["Interrupted system call"]
      case .peer: ["Connection reset by peer"]
      case .busy: ["Device or resource busy"]
      case .unsupported: ["Operation not supported"]
      }
    }
  }

  package struct Call: Sendable {
    package let number: Int
    package let function: String
    /// The file or socket, relative to its directory.
    package let file: String
    package let kinds: [Kind]
    package let hasFailed: Bool
    /// Whether the file is a socket; the session bus has one that is closed too.
    package var isOnSocket: Bool {
      ["connect", "send", "recv", "sendmsg", "recvmsg"].contains(function) || file.hasPrefix("dbus-")
    }

    /// Parses a line of the library's log.
    init?(_ line: Substring) {
      let words = line.split(separator: " ")
      guard words.count >= 4, let number = Int(words[0]) else { return nil }
      self.number = number
      function = String(words[1])
      file = String(words[2])
      kinds = words[3].split(separator: ",").compactMap { Kind(rawValue: String($0)) }
      hasFailed = words.last == "failed"
    }
  }

  /// A call, and how it fails.
  package struct Case: Sendable, CustomStringConvertible {
    package var call: Call
    package let kind: Kind
    /// Whether all later calls fail too.
    package var lasts = false

    package var description: String {
      "\(call.number)\(lasts ? "+" : ""):\(kind.rawValue) \(call.function) \(call.file)"
    }
  }

  private let library: CompiledFixture
  private let home: Home
  private let folders: [String]

  package init(below folders: [String], in home: Home) async throws {
    library = try await CompiledFixture.compiling("failing-calls.c", "-shared", "-fPIC")
    self.home = home
    self.folders = folders
  }

  /// The program's environment; clears the log of calls.
  package func environment(failing number: Int? = nil, _ kind: Kind = .disk, lasts: Bool = false) -> [String: String] {
    try? FileManager.default.removeItem(atPath: home.path("calls"))
    var variables = ["LD_PRELOAD": library.path]
    variables["FAILING_FOLDERS"] = folders.map { home.path($0) }.joined(separator: ":")
    variables["FAILING_CALLS"] = home.path("calls")
    if let number { variables["FAILING_CALL"] = "\(number)\(lasts ? "+" : ""):\(kind.rawValue)" }
    return variables
  }

  /// The program's environment for a case; without one, no call fails.
  package func environment(_ one: Case?) -> [String: String] {
    environment(failing: one?.call.number, one?.kind ?? .disk, lasts: one?.lasts ?? false)
  }

  /// Each way in which each logged call can fail.
  package var cases: [Case] {
    calls.flatMap { call in
      call.kinds.flatMap { kind in
        [Case(call: call, kind: kind)] + (kind.mayLast ? [Case(call: call, kind: kind, lasts: true)] : [])
      }
    }
  }

  /// The program's calls, in order.
  package var calls: [Call] { (home.read("calls") ?? "").split(separator: "\n").compactMap { Call($0) } }
}
