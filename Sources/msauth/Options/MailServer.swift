import ArgumentParser
import MSAuth

/// A mail server, such as `imap.example.com` or `imap.example.com:993`.
struct MailServer: CheckedArgument {
  let host: String
  let port: UInt16?

  init(argument: String) throws(AuthenticationError) {
    let parts = argument.split(at: ":", maxSplits: 1)
    host = parts[0]
    port = parts.count == 2 ? UInt16(parts[1]) : nil
    guard !host.isEmpty, host.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-._".utf8.contains($0) }),
      parts.count == 1 || port ?? 0 > 0
    else { throw .usage("\(argument.printable(limit: 80).quoted) isn't a mail server's HOST or HOST:PORT") }
  }
}
