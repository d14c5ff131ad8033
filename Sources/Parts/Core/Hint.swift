/// What the user can do about a failure: one line without a period.
///
/// A hint is an interpolated string whose values are made printable. Commands, sign-ins, settings and actions are
/// placeholders: ``description`` quotes a command for a shell and describes the others. With ``words(_:)``, a program names
/// its own commands and options instead.
///
///     let hint: Hint = "\(signIn: []) and accept, or use \(setting: "store", "file", or: "the file store")"
public struct Hint: Sendable, Hashable, ExpressibleByStringInterpolation {
  /// A piece of a hint.
  ///
  /// Later versions may add cases: a `switch` needs a `default`, which can use ``description``.
  public enum Part: Sendable, Hashable {
    case text(String)
    /// The end of a step: a semicolon in a literal.
    case next
    /// A command, or an option and its value; ``description`` quotes the words for a shell.
    case command([String])
    /// The instruction to sign in, with these scopes or as this user.
    case signIn(scopes: [String], account: String?)
    /// A setting or option of msauth and its value; `words` describe it for other programs.
    case setting(String, value: String?, words: String)
    /// Something that msauth has a command or instructions for; `words` describe it for other programs and may be empty.
    case action(Action, words: String)
  }

  /// Something that the user can do; each program names its own command for it.
  ///
  /// Later versions may add cases: a `switch` needs a `default`, which can use ``Part/description``.
  public enum Action: Sendable, Hashable {
    case signInWithDeviceCode
    case signInThroughBroker
    /// Sign in for the same request, with its claims, which a plain sign-in lacks.
    case signInForRequest(scopes: [String])
    /// Sign in on this computer with the browser of the computer that is connected over ssh; the destination is
    /// `user@host` or a URL.
    case signInOverSSH(destination: String)
    /// Sign in to an MCP server, with these scopes or its own.
    case signInToServer(String, scopes: [String] = [])
    case signOut
    /// Open the address of a sign-in in any browser.
    case openAddress
    /// Request a token with a resource's challenge.
    case answerChallenge
    /// Enter a client ID into this configuration file.
    case enterClientID(file: String)
    case createConfiguration
    /// Set a key of the configuration file.
    case setKey(String)
    case removeKey(String)
    case readDocumentation
    case logVerbosely
  }

  public let parts: [Part]

  /// Creates a hint from words known only at run time.
  public init(_ words: String) { parts = [.text(words.printable(limit: 2000))] }

  public init(stringLiteral words: String) {
    var interpolation = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
    interpolation.appendLiteral(words)
    parts = interpolation.parts
  }

  package init(parts: [Part]) { self.parts = parts }

  /// Creates a hint from an interpolated string.
  public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  /// Returns the hint with a program's own words.
  ///
  /// - Parameter replacement: Returns the words for a piece, or `nil` for those of ``description``.
  /// - Returns: One line without a period.
  public func words(_ replacement: (Part) -> String?) -> String {
    parts.map { replacement($0) ?? $0.description }.joined()
  }

  /// The pieces of an interpolated string.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    private mutating func append(_ words: String) {
      guard case .text(let text)? = parts.last else { return parts.append(.text(words)) }
      parts[parts.count - 1] = .text(text + words)
    }

    /// Creates an empty interpolation.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Adds words, whose steps are separated by semicolons.
    public mutating func appendLiteral(_ words: String) {
      for (index, step) in words.split(separator: "; ", omittingEmptySubsequences: false).enumerated() {
        if index > 0 { parts.append(.next) }
        if !step.isEmpty { append(String(step)) }
      }
    }

    /// Adds a value, without characters that a terminal interprets.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      append(value.description.printable())
    }

    /// Adds another hint.
    public mutating func appendInterpolation(_ hint: Hint) {
      for part in hint.parts { if case .text(let words) = part { append(words) } else { parts.append(part) } }
    }

    /// Adds a command, or an option and its value.
    public mutating func appendInterpolation(command words: [String]) { parts.append(.command(words)) }

    /// Adds the instruction to sign in.
    public mutating func appendInterpolation(signIn scopes: [String], account: String? = nil) {
      parts.append(.signIn(scopes: scopes, account: account))
    }

    /// Adds a setting, its value, and words for programs without it.
    public mutating func appendInterpolation(setting name: String, _ value: String? = nil, or words: String) {
      parts.append(.setting(name, value: value?.printable(), words: words.printable()))
    }

    /// Adds an action, and words for programs without it.
    public mutating func appendInterpolation(action: Action, or words: String) {
      parts.append(.action(action, words: words.printable()))
    }
  }
}

extension Hint: CustomStringConvertible {
  /// The hint without the names of a program's commands and options.
  public var description: String { words { _ in nil } }
}

extension Hint.Part: CustomStringConvertible {
  /// The piece without the names of a program's commands and options.
  public var description: String {
    switch self {
    case .text(let words), .setting(_, _, let words), .action(_, let words): words
    case .next: "; "
    case .command(let words): words.shellCommand
    case .signIn(_, let account?): "sign in as \(account.printable())"
    case .signIn(let scopes, nil):
      "sign in again" + (scopes.isEmpty ? "" : " with the scopes \(scopes.joined(separator: " "))".printable())
    }
  }
}

/// Hints that several modules use.
extension Hint {
  package static let signIn: Hint = "\(signIn: [])"
  package static let tryAgain: Hint = "try again"
  package static let checkClock: Hint = "check this computer's clock: timedatectl shows it"
  package static let checkBrowser: Hint =
    "check \(setting: "browser", or: "the browser's command"), or open the address in a browser yourself"
  package static let orDeviceCode: Hint = ", or use \(action: .signInWithDeviceCode, or: "a device code")"
  package static let networkLogin: Hint = """
    open any page in the browser, in case the network has a login page of its own; otherwise check the authority's URL
    """
  package static let startLoginSession: Hint = """
    log in through a systemd session: pam_systemd creates the directory, and loginctl lists the session
    """
  package static let createRuntimeDirectory: Hint =
    "\(.startLoginSession); in a container, run export XDG_RUNTIME_DIR=$(mktemp -d -p /dev/shm)"
  package static let requestDPoP: Hint = """
    turn off \(setting: "dpop", or: "DPoP"), or ask the provider's administrator to turn it on for this client
    """
  package static let useFileStore: Hint = "use \(setting: "store", "file", or: "the file store")"
  package static let reportToProvider: Hint =
    "check the authority's URL; if it is right, report this to the provider's administrator"
  package static let checkRegistration: Hint =
    "compare client ID, redirect URI and scopes with the app registration, or ask its administrator"
  package static let longerTimeout: Hint = "try again with a longer \(setting: "timeout", or: "timeout"), such as 10m"
  static let documentation: Hint = "see \(action: .readDocumentation, or: "the documentation")"

  package static func repairKeyring(_ step: String) -> Hint { "\(step), or \(.useFileStore)" }

  package static func withoutSudo(as user: String) -> Hint {
    "run the program as \(user.printable(limit: 40)), without sudo"
  }

  package static func tryAgainLater(after time: Duration? = nil) -> Hint {
    time.map { "try again in \($0.words)" } ?? "try again later"
  }

  package static func chooseExpectedAccount(_ expected: String, signedIn: String) -> Hint {
    """
    \(signedIn) stays signed in; try again and choose \(expected) in the browser, or use \
    \(setting: "account", signedIn, or: "that account")
    """
  }
}
