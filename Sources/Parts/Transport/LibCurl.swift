import CMSAuthCurl
import Glibc
import MSAuthCore
import MSAuthUnix
import Synchronization

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
    throw AuthenticationError(
      .libcurlMissing,
      "libcurl is needed for requests and couldn't be loaded: \((reasons.first ?? "no name").printable())",
      hint: "install it (Debian, Ubuntu: libcurl4; Fedora: libcurl; Arch: curl)"
    )
  }
}

/// Ends libcurl's work before the process ends.
///
/// OpenSSL frees its tables in an `atexit` handler, which crashes threads in a TLS call. So threads enter libcurl through
/// this barrier, and a handler registered later, which therefore runs before, closes it and waits for them.
enum ShutdownBarrier {
  private static let inside = Atomic<Int>(0)
  private static let closed = Atomic<Bool>(false)
  private static let over = Atomic<Bool>(false)

  /// In seconds; a transfer checks the barrier every tenth of a second.
  private static let timeout: Int64 = 1

  /// Whether only a request that must complete may go on.
  static var isClosed: Bool { closed.load(ordering: .sequentiallyConsistent) }

  static var isOver: Bool { over.load(ordering: .sequentiallyConsistent) }

  /// Runs work that calls libcurl, unless the process is ending.
  static func pass<Value>(_ work: () -> Value) -> Value? {
    inside.add(1, ordering: .sequentiallyConsistent)
    defer { inside.subtract(1, ordering: .sequentiallyConsistent) }
    return isClosed ? nil : work()
  }

  /// Registers a handler that runs before all earlier ones.
  static func registerExitHandler() {
    atexit {
      ShutdownBarrier.closed.store(true, ordering: .sequentiallyConsistent)
      // A refresh whose request was sent gets its response, and stores it.
      ShutdownBarrier.wait(atMost: CancellationShield.maximumSeconds) { CancellationShield.awaitsResponse }
      ShutdownBarrier.over.store(true, ordering: .sequentiallyConsistent)
      ShutdownBarrier.wait(atMost: ShutdownBarrier.timeout) {
        ShutdownBarrier.inside.load(ordering: .sequentiallyConsistent) > 0
      }
    }
  }

  private static func wait(atMost seconds: Int64, while isBusy: () -> Bool) {
    let deadline = Deadline(in: .seconds(seconds))
    while isBusy(), !deadline.hasPassed { usleep(2_000) }
  }
}
