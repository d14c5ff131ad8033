import Foundation

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

    /// What the system says of it, in its own words; one of them.
    package var words: [String] {
      switch self {
      case .kill, .part: []
      case .disk: ["Input/output error"]
      case .space: ["No space left on device"]
      case .access: ["Permission denied"]
      case .limit: ["Too many open files", "No locks available", "Cannot allocate memory"]
      case .interrupted: ["Interrupted system call"]
      }
    }
  }

  /// A call that a program made.
  package struct Call: Sendable {
    package let number: Int
    package let function: String
    /// The file, below the folder.
    package let file: String
    package let kinds: [Kind]
    package let hasFailed: Bool

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

  private let library: PreloadedLibrary
  private let home: Home
  private let folder: String

  /// Compiles the library.
  ///
  /// - Parameters:
  ///   - folder: The folder whose files are meant, below the home.
  ///   - home: Where the program works.
  /// - Throws: ``TestFailure`` when the compiler refuses it.
  package init(below folder: String, in home: Home) async throws {
    let source = BuiltProducts.root.appending(path: "Tests/Fixtures/failing-calls.c")
    library = try await PreloadedLibrary(String(contentsOf: source, encoding: .utf8), in: home)
    self.home = home
    self.folder = folder
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
    variables["FAILING_FOLDER"] = home.path(folder)
    variables["FAILING_CALLS"] = home.path("calls")
    if let number { variables["FAILING_CALL"] = "\(number)\(lasts ? "+" : ""):\(kind.rawValue)" }
    return variables
  }

  /// What the program has called, in order.
  package var calls: [Call] { (home.read("calls") ?? "").split(separator: "\n").compactMap { Call($0) } }
}
