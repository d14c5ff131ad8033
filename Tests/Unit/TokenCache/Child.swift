import Foundation
import Glibc

/// A program that a test runs, its output in files.
///
/// Not Foundation's `Process`: its pipes and sockets leak into programs that are started at the same time, and whoever
/// outlives a test, as keyrings do, would keep it waiting for an end that has long come.
struct Child: Sendable {
  struct Result: Sendable {
    var status: Int32
    var wasKilled: Bool
    var output: String
    var errors: String
  }

  struct NotStarted: Error {
    var program: String
    var code: Int32
  }

  /// Where this build's executables lie.
  static var driver: String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return (own as NSString).deletingLastPathComponent + "/token-cache-driver"
  }

  let id: pid_t
  private let scene: Scene

  init(_ program: String, _ arguments: [String], environment: [String: String]? = nil) throws {
    scene = try Scene()
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&files, 1, scene.folder + "/output", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_addopen(&files, 2, scene.folder + "/errors", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let environment = environment ?? ProcessInfo.processInfo.environment
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    let settings = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in words + settings { free(text) } }
    var id = pid_t()
    let code = posix_spawnp(&id, program, &files, nil, words, settings)
    guard code == 0 else { throw NotStarted(program: program, code: code) }
    self.id = id
  }

  /// Waits for a line, as a sign that the child is ready; what there is after half a minute, if none comes.
  func line() async -> String {
    for _ in 0..<3000 {
      let text = (try? scene.read(scene.folder + "/output")) ?? ""
      if let end = text.firstIndex(of: "\n") { return String(text[..<end]) }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return ""
  }

  /// Waits for the end.
  func end() async -> Result {
    var status: Int32 = 0
    while waitpid(id, &status, WNOHANG) == 0 { try? await Task.sleep(for: .milliseconds(5)) }
    let signal = status & 0x7F
    return Result(
      status: signal != 0 ? signal : status >> 8 & 0xFF,
      wasKilled: signal != 0,
      output: (try? scene.read(scene.folder + "/output")) ?? "",
      errors: (try? scene.read(scene.folder + "/errors")) ?? ""
    )
  }

  func kill() { Glibc.kill(id, SIGKILL) }

  static func run(_ program: String, _ arguments: [String], environment: [String: String]? = nil) async throws -> Result
  {
    try await Child(program, arguments, environment: environment).end()
  }

  /// The id of a process that is gone.
  static func goneProcess() async throws -> pid_t {
    let child = try Child("true", [])
    _ = await child.end()
    return child.id
  }
}
