import Synchronization

/// The process of one `oidc-provider-mock`, forked from one that has imported it; it ends with this object.
///
/// The process that forks reads from a pipe that ends with this process, however that ends.
final class ForkedProviderMock: Sendable {
  private static let forking = Result {
    try ChildProcess(
      [BuiltProducts.python(), #filePath.replacing("Support/ForkedProviderMock.swift", with: "provider-mocks.py")],
      environment: ["PATH": "/usr/bin:/bin", "PYTHONWARNINGS": "ignore", "LANG": "C.UTF-8"],
      holdsInput: true
    )
  }
  private static let started = Atomic(0)

  private let identifier: Int
  /// Where it listens, on 127.0.0.1.
  let port: UInt16

  /// Starts it.
  ///
  /// - Parameter options: Its command line.
  /// - Throws: ``TestFailure`` with the output of all of them, when it does not start.
  init(_ options: [String]) async throws {
    let process = try Self.forking.get()
    let identifier = Self.started.wrappingAdd(1, ordering: .relaxed).newValue
    let request: JSONValue = [
      "start": .number(JSONValue.Number(identifier)), "options": .array(options.map { .string($0) }),
    ]
    try process.write(request.serializedString() + "\n")
    port = try await eventually("an oidc-provider-mock") {
      if let ending = process.ending { throw TestFailure("provider-mocks.py has ended: \(ending)\n\(process.stderr)") }
      let lines = process.stdout.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      let answer = lines.first { $0.hasPrefix("\(identifier) ") }
      return try answer.map { line in
        guard let port = UInt16(line.drop { $0 != " " }.dropFirst()) else { throw TestFailure("no port: \(line)") }
        return port
      }
    }
    self.identifier = identifier
  }

  deinit {
    try? Self.forking.get().write("{\"stop\": \(identifier)}\n")
  }

  /// What all of them have written lately.
  var log: String { ((try? Self.forking.get().stderr) ?? "").suffix(4000).description }
}
