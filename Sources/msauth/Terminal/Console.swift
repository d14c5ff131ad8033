import FoundationEssentials
import Glibc
import MSAuth
import MSAuthUnix
import Synchronization

/// Results go to stdout; messages go to stderr, one per line and in lower case, prefixed with the program's name.
enum Console {
  enum Messages {
    /// Errors and prompts.
    case necessary
    case all
    /// Also details.
    case detailed
  }

  private static let chosenMessages = Mutex(Messages.all)

  static let stderrIsTerminal = isatty(STDERR_FILENO) == 1
  static let stdoutIsTerminal = isatty(STDOUT_FILENO) == 1

  static var messages: Messages {
    get { chosenMessages.withLock(\.self) }
    set { chosenMessages.withLock { $0 = newValue } }
  }
  static var isQuiet: Bool { messages == .necessary }
  static var isVerbose: Bool { messages == .detailed }

  static func result(_ line: String) throws { try result(bytes: Array((line + "\n").utf8)) }

  /// Writes a document unchanged, except that control characters are escaped on a terminal.
  static func result(document bytes: [UInt8]) throws {
    guard stdoutIsTerminal else { return try result(bytes: bytes) }
    let text = String(decoding: bytes, as: UTF8.self)
    try result((text.utf8.last == UInt8(ascii: "\n") ? String(text.dropLast()) : text).escapingControls)
  }

  private static func result(bytes: [UInt8]) throws {
    StatusLine.end()
    guard let error = writeAll(bytes, to: STDOUT_FILENO) else { return }
    // The reader closed the pipe early, as head does.
    if error != EPIPE { self.error("can't write the output: \(String(cString: strerror(error)))") }
    throw CommandFailure()
  }

  /// Whether stdout accepts a line without blocking.
  static var stdoutIsWritable: Bool {
    var ready = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    return poll(&ready, 1, 0) == 1 && ready.revents & Int16(POLLOUT) != 0
  }

  static func message(_ text: String) {
    let line = "msauth: \(text)"
    guard stderrIsTerminal, let columns = Terminal.stderrColumns, line.count >= columns else {
      return StatusLine.writeAbove(line.replacing(Terminal.unbreakableSpace, with: " ") + "\n")
    }
    // Continuation lines are indented to the text after "msauth: ".
    StatusLine.writeAbove(Terminal.wrapped(line, at: columns, indentation: 8, isFirstIndented: false) + "\n")
  }

  static func write(_ text: String) {
    // A closed or full stderr can't be reported.
    _ = writeAll(Array(text.utf8), to: STDERR_FILENO)
  }

  /// Writes a message, unless the command is quiet.
  static func notice(_ text: String) { if !isQuiet { message(text) } }

  /// Writes a hint that belongs to no error, unless the command is quiet.
  static func suggest(_ hint: Hint) { if !isQuiet { self.hint(hint) } }

  /// Names the copy of a changed file.
  static func notice(previousFile path: String) { notice("kept the previous file as \(path.printable())") }

  /// The warnings and hints that were written, each only once.
  private static let written = Mutex(Set<String>())

  private static func isNew(_ text: String) -> Bool {
    // Bounded, since some commands run for days.
    written.withLock { !$0.contains(text) && ($0.count >= 1000 || $0.insert(text).inserted) }
  }

  /// Writes a warning once, unless the command is quiet: a command may read the same file or address several times.
  static func warning(_ text: String) { if isNew(text) { notice(text) } }

  /// Writes a hint once; on a terminal, one step per line, with a command to copy on a separate line.
  static func hint(_ hint: Hint) {
    guard isNew(hint.commandLine) else { return }
    let lines = stderrIsTerminal ? hint.lines : [hint.commandLine]
    message("\(Style.hint) \(lines[0])")
    for line in lines.dropFirst() { message("  \(line)") }
  }

  /// Reports a failure; on a terminal, with codes only if they are from a provider or the command is verbose.
  static func error(_ error: AuthenticationError) {
    StatusLine.end()
    self.error(error.message)
    for candidate in error.candidates {
      message("account \(candidate.nameWithID)")
    }
    if let hint = error.hint { self.hint(hint) }
    if !stderrIsTerminal || isVerbose || error.isFromProvider { error.details.forEach(message) }
    if error.isThrottled, let seconds = error.retryAfter?.secondsRoundedUp {
      message("not retried: the provider denied this request a moment ago; try again in \(seconds) s")
    }
  }

  static func error(_ text: String) { message("\(Style.error) \(text.startingLowercase)") }
}

extension AuthenticationError {
  /// Whether the provider's administrator may need its codes.
  fileprivate var isFromProvider: Bool { provider != nil && code != .userCanceled }

  /// The details that an administrator or a report of the failure needs.
  fileprivate var details: [String] {
    // From general to specific.
    var codes = [code.rawValue]
    for new in [reason?.rawValue, provider?.error, provider?.subError] {
      if let new, !codes.contains(new) { codes.append(new.printable(limit: 100)) }
    }
    codes += provider?.codes.map { "AADSTS\($0)" } ?? []
    let description = provider?.description.flatMap { message.contains($0) ? nil : $0.printable() }
    return [
      "code \(codes.joined(separator: ", "))", description,
      provider?.correlationID.map { "correlation id \($0.printable(limit: 80))" },
      provider?.traceID.map { "trace id \($0.printable(limit: 80))" },
      provider?.errorURI.map { "more at \($0.absoluteString.printable(limit: 500))" },
    ].compactMap(\.self)
  }
}
