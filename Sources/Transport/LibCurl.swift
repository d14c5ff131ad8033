import CLibCurl
import Core

/// An opened libcurl.
///
/// Its table of functions is written once in ``init(names:)`` and only read after; the library is never closed, so the
/// table is never freed.
final class LibCurl: @unchecked Sendable {
  let functions: UnsafePointer<libcurl>

  /// The names under which distributions ship it: with OpenSSL, then Debian's with GnuTLS.
  static let usualNames = ["libcurl.so.4", "libcurl-gnutls.so.4"]

  /// The process's libcurl, opened by whoever asks first.
  static let shared = Result { () throws(TransportError) in try LibCurl(names: usualNames) }

  /// Opens the first library that there is.
  ///
  /// - Parameter names: Sonames or paths, in order of preference.
  /// - Throws: ``TransportError`` of kind `unavailable`, with what the loader said of the first name.
  init(names: [String]) throws(TransportError) {
    let functions = UnsafeMutablePointer<libcurl>.allocate(capacity: 1)
    functions.initialize(to: libcurl())
    var reasons: [String] = []
    for name in names {
      // The loader's texts name one file and one cause.
      var reason = [CChar](repeating: 0, count: 512)
      guard libcurl_open(functions, name, &reason, reason.count) else {
        reasons.append(String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        continue
      }
      let code = functions.pointee.global_init(Int(CURL_GLOBAL_ALL))
      guard code == CURLE_OK else {
        reasons.append("\(name) could not be initialised (code \(code.rawValue))")
        continue
      }
      self.functions = UnsafePointer(functions)
      ShutdownBarrier.close(beforeHandlersRegisteredUntilNow: ())
      return
    }
    functions.deallocate()
    throw TransportError(
      .unavailable,
      host: "",
      message: "libcurl is needed for requests and could not be loaded: \((reasons.first ?? "no name").printable()). "
        + "Install it (Debian, Ubuntu: libcurl4; Fedora: libcurl; Arch: curl)."
    )
  }
}
