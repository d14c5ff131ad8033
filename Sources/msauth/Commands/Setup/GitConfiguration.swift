import FoundationEssentials
import MSAuth
import MSAuthDesktop

struct GitConfiguration {
  /// Scheme, host and port.
  let origin: String

  private let program = ForeignProgram(name: "git")

  init(origin: String) { self.origin = origin }

  private var key: String { "credential.\(origin).helper" }

  /// How the arguments begin in every helper that setup adds.
  private static let beginning = " " + ["git-credential", "--host"].map(\.shellQuoted).joined(separator: " ") + " "

  /// The value of git's setting that runs msauth.
  private func helper(_ arguments: [String]) throws -> String {
    // An absolute path: git's hooks, and programs that run git, may have another PATH.
    let msauth = try Setup.msauthPath.shellQuoted
    return "!\(msauth)\(Self.beginning)" + ([origin] + arguments).map(\.shellQuoted).joined(separator: " ")
  }

  /// The lines in git's configuration file, whose values need quotes for `#` and `;`.
  func section(_ arguments: [String]) throws -> String {
    let value = try helper(arguments).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "[credential \"\(origin)\"]\n\thelper =\n\thelper = \"\(value)\""
  }

  /// Makes git run msauth with these arguments, and no other helper, for this server.
  func add(_ arguments: [String]) async throws -> Bool {
    let helper = try helper(arguments)
    return try await ForeignFile(path: files[0]).locking {
      let present = try await helpers()
      // An empty value resets the list of helpers (gitcredentials(7)), so that none stores the token.
      if present == ["", helper] { return false }
      try rejectForeign(present)
      try await program.keepingCopies(of: files, hint: "add what --print prints") {
        // Alone, after a failure or a signal, the empty value would turn off the user's other helpers.
        try await withCancellationShield(grace: .seconds(5)) {
          if !present.isEmpty, present.first != "" { try await git("--unset-all", key) }
          if present.first != "" { try await git("--add", key, "") }
          do {
            // Adds it, or replaces what follows the empty value.
            try await git("--replace-all", key, helper, ".")
          } catch {
            if present.first != "" { _ = try? await git("--unset-all", key) }
            throw error
          }
        }
      }
      return true
    }
  }

  func remove() async throws -> Bool {
    try await ForeignFile(path: files[0]).locking {
      let present = try await helpers()
      guard !present.isEmpty else { return false }
      try rejectForeign(present, removing: true)
      try await program.keepingCopies(of: files, hint: nil) { try await git("--unset-all", key) }
      return true
    }
  }

  private func rejectForeign(_ helpers: [String], removing: Bool = false) throws {
    guard let other = helpers.first(where: { !$0.isEmpty && !$0.contains(Self.beginning) }) else { return }
    throw ForeignProgram.configurationError("git runs another helper for \(origin): \(other.printable(limit: 200))")
      .with(
        hint: removing ? nil : "to replace it, first run: \(command: ["git", "config", "--global", "--unset-all", key])"
      )
  }

  /// The files that git may write (git-config(1), FILES).
  private var files: [String] {
    get throws {
      if let path = ProcessInfo.processInfo.environment["GIT_CONFIG_GLOBAL"] { return [path] }
      return [try ForeignFile.home + "/.gitconfig", try ForeignFile.configurationDirectory + "/git/config"]
    }
  }

  private func helpers() async throws -> [String] {
    // Exit status 1: there is no such key.
    let output = try await git("--null", "--get-all", key, accepting: [0, 1])
    return output.split(at: "\0").dropLast()
  }

  @discardableResult
  private func git(_ arguments: String..., accepting codes: [Int32?] = [0]) async throws -> String {
    let result = try await program.run(["config", "--global"] + arguments)
    if codes.contains(result.code) { return result.output }
    throw ForeignProgram.configurationError("can't change git's configuration: \(result.errors.printable(limit: 300))")
  }
}
