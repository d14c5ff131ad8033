import FlyingSocks
import TestSupport
import Testing

@testable import MSAuthTransport

/// A transport with only the test's environment.
func transport(
  _ environment: [String: String] = [:],
  limits: TransferLimits = TransferLimits(connect: .seconds(60), total: .seconds(120)),
  observer: (@Sendable (CurlTransport.Exchange) -> Void)? = nil
) -> CurlTransport {
  CurlTransport(userAgent: "msauth/0.0", environment: environment, limits: limits, observer: observer)
}

/// The error of a request that must fail.
func failure(_ transport: CurlTransport, _ request: HTTPRequest) async -> AuthenticationError? {
  await #expect(throws: AuthenticationError.self) { try await transport.send(request) }
}

/// Reserves a port of 127.0.0.1 that refuses connections: it is bound without listening.
func withRefusingPort(_ body: (UInt16) async throws -> Void) async throws {
  let socket = try Socket(domain: AF_INET, type: .stream)
  try socket.bind(to: sockaddr_in.inet(ip4: "127.0.0.1", port: 0))
  guard case .ip4(_, let port) = try socket.sockname() else { throw TestFailure("the socket has no IPv4 address") }
  try await body(port)
  try socket.close()
}

/// The output of a shell command.
func shell(_ command: String) async throws -> [UInt8] {
  let child = try ChildProcess(["sh", "-c", command])
  try #require(try await child.end() == .exited(0), "\(command): \(child.stderr)")
  return child.stdoutBytes
}
