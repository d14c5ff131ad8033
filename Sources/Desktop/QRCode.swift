package import FoundationEssentials
import Subprocess
import SystemPackage

/// Draws an address as a QR code for a terminal, where `qrencode` is installed.
///
/// - Parameters:
///   - address: The address; it goes to the program's input, since every user can read a program's arguments.
///   - environment: The process's environment, for `PATH`.
/// - Returns: Lines of block characters; nil without the program.
package func terminalQRCode(of address: URL, environment: [String: String]) async -> String? {
  guard let path = findProgram("qrencode", path: environment["PATH"]) else { return nil }
  let result = try? await run(
    .path(FilePath(path)),
    arguments: ["-t", "UTF8", "-m", "2", "-o", "-"],
    input: .string(address.absoluteString),
    output: .string(limit: 64 << 10),
    error: .discarded
  )
  guard let result, result.terminationStatus.isSuccess, !result.standardOutput.isEmpty else { return nil }
  return result.standardOutput
}
