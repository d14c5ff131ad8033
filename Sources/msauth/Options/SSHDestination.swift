import ArgumentParser
import MSAuth

/// A destination of ssh(1): `[user@]host` or `ssh://[user@]host[:port]`; the host may be a name of `~/.ssh/config`.
struct SSHDestination: CheckedArgument, Sendable {
  let name: String

  /// The name for messages.
  var host: String { name.printable(limit: 200) }

  init(argument: String) throws(AuthenticationError) {
    let bytes = argument.utf8
    let scheme = "ssh://".utf8
    let target = bytes.starts(with: scheme) ? bytes.dropFirst(scheme.count) : bytes[...]
    let parts = target.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard bytes.count <= 512, parts.allSatisfy({ !$0.isEmpty && $0.first != UInt8(ascii: "-") }),
      target.allSatisfy({ $0.isASCIIAlphanumeric || $0 >= 0x80 || "-._@:%[]+=~,/".utf8.contains($0) })
    else { throw .usage("requires an ssh destination, such as USER@HOST or ssh://USER@HOST:PORT") }
    name = argument
  }
}
