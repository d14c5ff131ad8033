package import Core
import FoundationEssentials
import Synchronization
import Unix

/// Requests over libcurl, which brings proxies, the system's certificates and HTTP/2.
///
/// Each request runs on a thread of its own, since libcurl blocks and Swift's threads are few. No redirect is followed:
/// a code or a refresh token would be posted to the host that the redirect names.
package final class CurlTransport: HTTPTransport {
  private let userAgent: String
  private let timeouts: Timeouts
  private let limits: ResponseLimits
  private let network: NetworkSettings
  private let library: @Sendable () -> Result<LibCurl, Failure>
  private let observer: (@Sendable (HTTPExchange) -> Void)?
  private let idleSessions = Mutex<[CurlSession]>([])

  /// Sessions kept between requests; a flow sends its requests one after the other, or two at once.
  private static let maximumIdleSessions = 2

  /// Creates a transport; libcurl is opened on its first request.
  package convenience init(
    userAgent: String = "msauth",
    environment: [String: String] = ProcessInfo.processInfo.environment,
    authorities: String? = nil,
    timeouts: Timeouts = Timeouts(),
    limits: ResponseLimits = ResponseLimits(),
    observer: (@Sendable (HTTPExchange) -> Void)? = nil
  ) {
    self.init(
      userAgent: userAgent,
      network: NetworkSettings(environment, authorities: authorities),
      timeouts: timeouts,
      limits: limits,
      observer: observer,
      library: { LibCurl.shared }
    )
  }

  init(
    userAgent: String,
    network: NetworkSettings,
    timeouts: Timeouts,
    limits: ResponseLimits,
    observer: (@Sendable (HTTPExchange) -> Void)?,
    library: @escaping @Sendable () -> Result<LibCurl, Failure>
  ) {
    self.userAgent = userAgent
    self.timeouts = timeouts
    self.limits = limits
    self.network = network
    self.observer = observer
    self.library = library
  }

  package func send(_ request: HTTPRequest) async throws(Failure) -> HTTPResponse {
    let destination = try WebURL(requesting: request.url)
    var limits = limits
    if let maximum = request.maximumResponseBytes { limits.maximumBodyBytes = maximum }
    let transfer = Transfer(
      request: request,
      destination: destination,
      headerLines: try request.headerLines(for: destination),
      userAgent: userAgent,
      timeouts: timeouts,
      limits: limits,
      network: network
    )
    if transfer.proxyName != nil, let flaw = network.proxyFlaw {
      throw transfer.failure(.urlRefused, flaw, hint: network.proxyHint)
    }
    let cancellation = Cancellation()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isStarted = BackgroundThread.start {
          continuation.resume(returning: self.observed(transfer, until: cancellation))
        }
        if !isStarted {
          continuation.resume(
            returning: .failure(transfer.failure(.libcurlMissing, "the system gave no thread for a request"))
          )
        }
      }
    } onCancel: {
      cancellation.raise()
    }
    return try result.get()
  }

  /// Opens libcurl.
  package func prepare() async {
    await BackgroundThread.run { _ in _ = ShutdownBarrier.pass { self.library() } }
  }

  private func observed(
    _ transfer: Transfer,
    until cancellation: Cancellation
  ) -> Result<HTTPResponse, Failure> {
    let clock = ContinuousClock()
    let start = clock.now
    let result =
      ShutdownBarrier.pass { Result { () throws(Failure) in try perform(transfer, until: cancellation) } }
      ?? .failure(Failure.canceled)
    observer?(
      HTTPExchange(
        method: transfer.request.method,
        url: transfer.destination.withoutQuery,
        status: try? result.get().status,
        milliseconds: (clock.now - start).milliseconds
      )
    )
    return result
  }

  private func perform(
    _ transfer: Transfer,
    until cancellation: Cancellation
  ) throws(Failure) -> HTTPResponse {
    do throws(FileError) {
      try network.checkAuthorities()
    } catch {
      throw transfer.failure(
        .tlsUntrusted,
        "the trusted certificates cannot be used: \(error)",
        hint: error.hint ?? "check the file, and where it is named"
      )
    }
    let library = try library().get()
    guard let session = idleSessions.withLock({ $0.popLast() }) ?? CurlSession(library) else {
      throw transfer.failure(.libcurlMissing, "out of memory")
    }
    let response = try session.perform(transfer, until: cancellation)
    // A session that failed is not reused: its connection may be in the middle of something.
    idleSessions.withLock { if $0.count < Self.maximumIdleSessions { $0.append(session) } }
    return response
  }
}
