import Foundation
import Glibc

@testable import TokenCache

/// A folder of a test's own, gone with it.
final class Scene: Sendable {
  let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "msauth-cache-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  var path: String { folder + "/token_cache.json" }
  var lockPath: String { path + ".lockfile" }
  var store: FileStore { FileStore(path: path) }

  func write(_ text: String, to path: String? = nil, mode: mode_t = 0o600) throws {
    let path = path ?? self.path
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, mode)
  }

  func read(_ path: String? = nil) throws -> String {
    try String(contentsOfFile: path ?? self.path, encoding: .utf8)
  }

  /// The names in the folder.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  func save(_ document: TokenCacheDocument) async throws {
    let lock = try await store.lock(within: .seconds(20))
    defer { lock.release() }
    try store.save(document, holding: lock)
  }
}

/// A program that a test runs.
struct Child: Sendable {
  struct Result: Sendable {
    var status: Int32
    var wasKilled: Bool
    var output: String
    var errors: String
  }

  /// Where this build's executables lie.
  static var driver: String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return (own as NSString).deletingLastPathComponent + "/token-cache-driver"
  }

  let process: Process
  let output = Pipe()
  let errors = Pipe()

  init(_ program: String, _ arguments: [String], environment: [String: String]? = nil) throws {
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    if let environment { process.environment = environment }
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  /// Waits for a line, as a sign that the child is ready.
  func line() async -> String {
    await Self.onThread { [output] in
      var line = Data()
      while let byte = try? output.fileHandleForReading.read(upToCount: 1), byte.first != 0x0A { line += byte }
      return String(decoding: line, as: UTF8.self)
    }
  }

  func end() async -> Result {
    await Self.onThread { [process, output, errors] in
      let text = output.fileHandleForReading.readDataToEndOfFile()
      let complaints = errors.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return Result(
        status: process.terminationStatus,
        wasKilled: process.terminationReason == .uncaughtSignal,
        output: String(decoding: text, as: UTF8.self),
        errors: String(decoding: complaints, as: UTF8.self)
      )
    }
  }

  func kill() { Glibc.kill(process.processIdentifier, SIGKILL) }

  static func run(_ program: String, _ arguments: [String], environment: [String: String]? = nil) async throws -> Result
  {
    try await Child(program, arguments, environment: environment).end()
  }

  /// Blocking calls have no place on the tests' few shared threads.
  private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }
}
