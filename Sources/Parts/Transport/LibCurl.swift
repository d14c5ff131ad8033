import CMSAuthCurl
import MSAuthCore

enum LibCurl {
  /// With OpenSSL, else Debian's with GnuTLS; opened on first use.
  nonisolated(unsafe) static let shared = Result { () throws(AuthenticationError) in
    try open(["libcurl.so.4", "libcurl-gnutls.so.4"])
  }

  /// Opens the first library that exists; it is never closed, so its table of functions is never freed.
  static func open(_ names: [String]) throws(AuthenticationError) -> UnsafePointer<libcurl> {
    let functions = UnsafeMutablePointer<libcurl>.allocate(capacity: 1)
    functions.initialize(to: libcurl())
    var reasons: [String] = []
    for name in names {
      var reason = [CChar](repeating: 0, count: 512)
      guard libcurl_open(functions, name, &reason, reason.count) else {
        reasons.append(String(cString: &reason))
        continue
      }
      let code = functions.pointee.global_init(Int(CURL_GLOBAL_ALL))
      if code == CURLE_OK {
        ShutdownBarrier.registerExitHandler()
        return UnsafePointer(functions)
      }
      reasons.append("\(name) couldn't be initialized (code \(code.rawValue))")
    }
    functions.deallocate()
    let message = "libcurl is needed for requests and couldn't be loaded: \((reasons.first ?? "no name").printable())"
    let hint: Hint = "install it (libcurl4 on Debian and Ubuntu, libcurl on Fedora, curl on Arch)"
    throw AuthenticationError(.libcurlMissing, message, hint: hint)
  }
}
