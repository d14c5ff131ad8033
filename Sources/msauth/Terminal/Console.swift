import Core
import FoundationEssentials
import Glibc
import MSAuth
import Preferences
import Synchronization

/// Output: results go to stdout, everything else to stderr, with the program's name in front.
///
/// The stderr contract: one line per message, lower case, no full stop; `hint:` lines say what to do next.
enum Console {
  /// What the flags ask for.
  private struct Options {
    var isQuiet = false
    var isVerbose = false
  }

  private static let options = Mutex(Options())

  /// Whether a person reads the messages.
  static let isTerminal = isatty(STDERR_FILENO) == 1
  /// Whether a person reads the result.
  static let resultIsTerminal = isatty(STDOUT_FILENO) == 1

  /// Whether messages that nobody has to act on are left out.
  static var isQuiet: Bool { options.withLock(\.isQuiet) }

  /// Sets what the command's flags ask for.
  static func configure(isQuiet: Bool, isVerbose: Bool) {
    options.withLock { $0 = Options(isQuiet: isQuiet, isVerbose: isVerbose) }
  }

  /// Writes a line of the result; nothing else goes to stdout.
  static func result(_ line: String) throws {
    try result(bytes: Array((line + "\n").utf8))
  }

  /// Writes a document that others wrote, or with their words in it: its very bytes to a file or a pipe; on a terminal
  /// without the characters that would move its cursor or recolour it, and with the end of its last line.
  static func result(document bytes: [UInt8]) throws {
    guard resultIsTerminal else { return try result(bytes: bytes) }
    let text = String(decoding: bytes, as: UTF8.self)
    try result((text.utf8.last == UInt8(ascii: "\n") ? String(text.dropLast()) : text).escapingControls)
  }

  /// Writes bytes as they are.
  private static func result(bytes: [UInt8]) throws {
    StatusLine.end()
    guard let error = write(bytes, to: STDOUT_FILENO) else { return }
    say("the output cannot be written: \(String(cString: strerror(error)))")
    throw CommandFailure(status: .failed)
  }

  /// Whether stdout takes a line without anybody having to wait.
  static var takesResult: Bool {
    var ready = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    return poll(&ready, 1, 0) == 1 && ready.revents & Int16(POLLOUT) != 0
  }

  /// Writes rows of a name and a value, for a person.
  static func result(table rows: [(name: String, value: String)]) throws {
    let width = rows.map(\.name.count).max() ?? 0
    for (name, value) in rows {
      let padding = String(repeating: " ", count: width - name.count)
      try result("\(name)\(padding)  \(value.printable(limit: 2000))")
    }
  }

  /// Writes a message.
  static func say(_ message: String) {
    // There is nowhere to report that stderr is closed or full, and the command goes on without it.
    StatusLine.above { _ = write(Array("msauth: \(message)\n".utf8), to: STDERR_FILENO) }
  }

  /// Writes a message that nobody has to act on; `-q` leaves it out.
  static func notice(_ message: String) {
    if !isQuiet { say(message) }
  }

  /// Says which keys of the configuration file a variable overrides.
  static func noticeOverride(of keys: [String]) {
    let environment = ProcessInfo.processInfo.environment
    for key in keys {
      guard let variable = (try? ConfigurationKey(key))?.variable, environment[variable]?.isEmpty == false else {
        continue
      }
      say("\(variable) is set, and counts more than the file")
    }
  }

  /// Writes what to do next.
  static func hint(_ text: String) {
    say("\(Style.hint("hint:")) \(text)")
  }

  /// Reports a failure: what happened, what the provider said, what to do.
  ///
  /// A person at a terminal gets codes and IDs of a provider's error alone, unless the command is verbose; a log gets
  /// them always.
  static func error(_ error: AuthenticationError) {
    StatusLine.end()
    failure(error.message)
    let isDetailed = !isTerminal || options.withLock(\.isVerbose)
    if isDetailed || error.isProviders {
      say("code \(error.words.joined(separator: ", "))")
      if let provider = error.provider {
        if let description = provider.description, !error.message.contains(description) { say(description.printable()) }
        if let id = provider.correlationID { say("correlation id \(id.printable(limit: 80))") }
        if let id = provider.traceID { say("trace id \(id.printable(limit: 80))") }
        if let page = provider.errorURI { say("more at \(page.absoluteString.printable(limit: 500))") }
      }
    }
    for candidate in error.candidates {
      say("account \(candidate.username.printable()) (\(candidate.identifier.printable()))")
    }
    if error.isThrottled, let seconds = error.retryAfter?.secondsRoundedUp {
      say("the provider was not asked again: it refused a moment ago; it will be asked again in \(seconds) s")
    }
    if let hint = error.hint { self.hint(hint.commandLine) }
  }

  /// Writes what went wrong.
  static func failure(_ message: String) {
    let text = message.startingLowercase
    say(isTerminal ? "\(Style.error("error:")) \(text)" : text)
  }

  /// Writes everything, and waits where a pipe that does not block is full.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      case let error: return error
      }
    }
    return nil
  }
}

extension AuthenticationError {
  /// Whether the provider failed or refused, so that its administrator may need the codes; not who just said no.
  fileprivate var isProviders: Bool { provider != nil && code != .userCanceled }

  /// Its stable words, from the general to the exact: what a search, a script or an administrator needs.
  fileprivate var words: [String] {
    var words = [code.rawValue]
    for word in [reason?.rawValue, provider?.error, provider?.subError] {
      if let word, !words.contains(word) { words.append(word.printable(limit: 100)) }
    }
    return words + (provider?.codes.map { "AADSTS\($0)" } ?? [])
  }
}
