/// Calls of the system that fail, or are the last, in a program that a test starts: `failing-calls.c`.
package struct FailingCalls: Sendable {
  /// How a call fails.
  package enum Kind: String, Sendable, CaseIterable {
    /// The process dies before the call.
    case kill
    /// The disk cannot be read or written (EIO).
    case disk
    /// It is full (ENOSPC).
    case space
    /// The system refuses (EACCES).
    case access
    /// There are too many open files or locks, or too little memory (EMFILE, ENOLCK, ENOMEM).
    case limit
    /// A signal interrupts the call (EINTR).
    case interrupted
    /// Half of the bytes are read or written.
    case part
    /// The program at the other end of a socket has gone (ECONNRESET).
    case peer

    /// Whether what causes it would make the next call fail, too, as a full disk does.
    fileprivate var mayLast: Bool { [.disk, .space, .access, .limit].contains(self) }

    /// What the system says of it, in its own words; one of them.
    package var words: [String] {
      switch self {
      case .kill, .part: []
      case .disk: ["Input/output error"]
      case .space: ["No space left on device"]
      case .access: ["Permission denied"]
      case .limit: ["Too many open files", "No locks available", "Cannot allocate memory"]
      case .interrupted: ["Interrupted system call"]
      case .peer: ["Connection reset by peer"]
      }
    }
  }

  /// A call that a program made.
  package struct Call: Sendable {
    package let number: Int
    package let function: String
    /// The file or the socket, below its folder.
    package let file: String
    package let kinds: [Kind]
    package let hasFailed: Bool
    /// Whether it is about a socket.
    package var isOnSocket: Bool { ["connect", "send", "recv", "sendmsg", "recvmsg"].contains(function) }

    /// Reads a line that the library wrote.
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
    /// Whether all later calls fail, too.
    package var lasts = false

    package var description: String {
      "\(call.number)\(lasts ? "+" : ""):\(kind.rawValue) \(call.function) \(call.file)"
    }
  }

  private let library: PreloadedLibrary
  private let home: Home
  private let folders: [String]

  /// Compiles the library.
  ///
  /// - Parameters:
  ///   - folders: The folders whose files and sockets are meant, below the home.
  ///   - home: Where the program works.
  /// - Throws: ``TestFailure`` when the compiler refuses it.
  package init(below folders: String..., in home: Home) async throws {
    try await self.init(below: folders, in: home)
  }

  /// Compiles the library.
  package init(below folders: [String], in home: Home) async throws {
    let source = BuiltProducts.root.appending(path: "Tests/Fixtures/failing-calls.c")
    library = try await PreloadedLibrary(String(contentsOf: source, encoding: .utf8), in: home)
    self.home = home
    self.folders = folders
  }

  /// What the program needs in its environment; what an earlier one called is forgotten.
  ///
  /// - Parameters:
  ///   - number: The call that fails; nil if none does.
  ///   - kind: How.
  ///   - lasts: Whether all later ones fail, too.
  /// - Returns: Variables.
  package func environment(failing number: Int? = nil, _ kind: Kind = .disk, lasts: Bool = false) -> [String: String] {
    try? FileManager.default.removeItem(atPath: home.path("calls"))
    var variables = library.environment
    variables["FAILING_FOLDERS"] = folders.map { home.path($0) }.joined(separator: ":")
    variables["FAILING_CALLS"] = home.path("calls")
    if let number { variables["FAILING_CALL"] = "\(number)\(lasts ? "+" : ""):\(kind.rawValue)" }
    return variables
  }

  /// What the program needs in its environment for a case; nil lets no call fail.
  package func environment(_ one: Case?) -> [String: String] {
    environment(failing: one?.call.number, one?.kind ?? .disk, lasts: one?.lasts ?? false)
  }

  /// Each way in which each call of the program could have failed.
  package var cases: [Case] {
    calls.flatMap { call in
      call.kinds.flatMap { kind in
        [Case(call: call, kind: kind)] + (kind.mayLast ? [Case(call: call, kind: kind, lasts: true)] : [])
      }
    }
  }

  /// What the program has called, in order.
  package var calls: [Call] { (home.read("calls") ?? "").split(separator: "\n").compactMap { Call($0) } }
}
