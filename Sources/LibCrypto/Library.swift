import CMSAuthCrypto
import Glibc

/// libcrypto's functions, opened on first use and never closed; without them the process ends, as if libcrypto were linked.
nonisolated(unsafe) let library: UnsafePointer<libcrypto> = {
  let functions = UnsafeMutablePointer<libcrypto>.allocate(capacity: 1)
  functions.initialize(to: libcrypto())
  var reason = [CChar](repeating: 0, count: 512)
  guard libcrypto_open(functions, &reason, reason.count) else {
    let text = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let program = CommandLine.arguments.first?.split(separator: "/").last.map { "\($0): " } ?? ""
    let message = Array(
      """
      \(program)OpenSSL's libcrypto is needed and could not be loaded: \(text)
      \(program)hint: install it (Debian, Ubuntu: libssl3; Fedora: openssl-libs; Arch: openssl)

      """.utf8
    )
    _ = write(STDERR_FILENO, message, message.count)
    exit(EXIT_FAILURE)
  }
  return UnsafePointer(functions)
}()

/// The functions under their own names: `crypto.EVP_Q_digest(…)`.
var crypto: libcrypto { library.pointee }
