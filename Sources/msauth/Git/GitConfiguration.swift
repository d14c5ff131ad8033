import FoundationEssentials
import Glibc
import MSAuth
import MSAuthCore
import MSAuthDesktop

struct GitConfiguration {
  /// Scheme, host and port.
  let origin: String
  let environment: [String: String]

  private var key: String { "credential.\(origin).helper" }

  /// The value that makes git run msauth.
  static func helper(_ arguments: [String]) throws -> String {
    guard let path = realpath("/proc/self/exe", nil), let program = String(validatingCString: path) else {
      throw AuthenticationError(.internalError, "can't determine the path of msauth", reason: "unexpected")
    }
    free(path)
    return "!" + ([program, "git-credential"] + arguments).map(\.shellQuoted).joined(separator: " ")
  }

  /// Makes git run this helper, and no other, for this server.
  func add(_ helper: String) async throws -> Bool {
    let present = try await helpers()
    // An empty value removes the helpers before it (gitcredentials(7)), so that none stores the token.
    if present == ["", helper] { return false }
    try refuseForeign(present)
    try await git("--replace-all", key, "")
    try await git("--add", key, helper)
    return true
  }

  func remove() async throws -> Bool {
    let present = try await helpers()
    guard !present.isEmpty else { return false }
    try refuseForeign(present)
    try await git("--unset-all", key)
    return true
  }

  private func refuseForeign(_ helpers: [String]) throws {
    guard let other = helpers.first(where: { !$0.isEmpty && !$0.contains("git-credential' '--host' ") }) else { return }
    throw Self.error("git runs another helper for \(origin): \(other.printable(limit: 200))")
      .with(hint: "to replace it, first run: git config --global --unset-all \(key)")
  }

  private func helpers() async throws -> [String] {
    let result = try await run(["--null", "--get-all", key])
    switch result.code {
    case 0:
      let values = result.output.utf8.split(separator: 0, omittingEmptySubsequences: false).dropLast()
      return values.map { String(decoding: $0, as: UTF8.self) }
    // There is no such key.
    case 1: return []
    default: throw failure(result)
    }
  }

  private func git(_ arguments: String...) async throws {
    let result = try await run(arguments)
    if result.code != 0 { throw failure(result) }
  }

  private func run(_ arguments: [String]) async throws -> ProgramOutput {
    let arguments = ["config", "--global"] + arguments
    if let result = await runProgram("git", arguments, environment: environment) { return result }
    throw Self.error("there is no git on the PATH").with(hint: "install git")
  }

  private func failure(_ result: ProgramOutput) -> AuthenticationError {
    Self.error("can't change git's configuration: \(result.errors.printable(limit: 300))")
  }

  static func error(_ message: String) -> AuthenticationError {
    AuthenticationError(.invalidConfiguration, message, reason: "git_configuration")
  }
}
