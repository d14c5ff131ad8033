import Foundation
import Glibc
import Testing

@testable import Transport

/// A transport whose environment is the test's alone.
func transport(
  _ environment: [String: String] = [:],
  timeouts: Timeouts = Timeouts(connect: .seconds(5), total: .seconds(10)),
  limits: ResponseLimits = ResponseLimits(),
  observer: (@Sendable (HTTPExchange) -> Void)? = nil
) -> CurlTransport {
  CurlTransport(
    userAgent: "msauth/0.0",
    environment: environment,
    timeouts: timeouts,
    limits: limits,
    observer: observer
  )
}

/// The error of a request that must fail.
func failure(_ transport: CurlTransport, _ request: HTTPRequest) async -> TransportError? {
  do {
    _ = try await transport.send(request)
    return nil
  } catch {
    return error
  }
}

/// Runs a shell command and returns what it wrote.
///
/// Foundation's `Process` hands the pipes of one test to the children of another; popen's are closed on exec.
func shell(_ command: String) throws -> [UInt8] {
  let pipe = try #require(popen(command, "re"))
  defer { pclose(pipe) }
  var output: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65536)
  while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { output += buffer.prefix(count) }
  return output
}
