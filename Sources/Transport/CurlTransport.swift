import FoundationEssentials
import Synchronization

/// Requests over libcurl, which brings proxies, the system's certificates and HTTP/2.
///
/// Each request runs on a thread of its own, since libcurl blocks and Swift's threads are few. No redirect is followed:
/// a code or a refresh token would be posted to whoever the redirect names.
package final class CurlTransport: HTTPTransport {
  private let userAgent: String
  private let timeouts: Timeouts
  private let limits: ResponseLimits
  private let network: NetworkSettings
  private let library: @Sendable () -> Result<LibCurl, TransportError>
  private let observer: (@Sendable (HTTPExchange) -> Void)?
  private let idle = Mutex<[CurlSession]>([])

  /// Handles kept between requests; a flow sends its requests one after the other, or two at once.
  private static let idleLimit = 2

  /// Prepares a transport; libcurl is opened on its first request.
  ///
  /// - Parameters:
  ///   - userAgent: Name and version of the program, as `msauth/1.0`.
  ///   - environment: Read for `https_proxy`, `all_proxy`, `no_proxy`, `CURL_CA_BUNDLE`, `SSL_CERT_FILE` and
  ///     `SSL_CERT_DIR`, as curl reads them.
  ///   - timeouts: For each request.
  ///   - limits: For each response.
  ///   - observer: Told of each request that ended, on a thread of the transport's.
  package convenience init(
    userAgent: String = "msauth",
    environment: [String: String] = ProcessInfo.processInfo.environment,
    timeouts: Timeouts = Timeouts(),
    limits: ResponseLimits = ResponseLimits(),
    observer: (@Sendable (HTTPExchange) -> Void)? = nil
  ) {
    self.init(
      userAgent: userAgent,
      environment: environment,
      timeouts: timeouts,
      limits: limits,
      observer: observer,
      library: { LibCurl.shared }
    )
  }

  init(
    userAgent: String,
    environment: [String: String],
    timeouts: Timeouts,
    limits: ResponseLimits,
    observer: (@Sendable (HTTPExchange) -> Void)?,
    library: @escaping @Sendable () -> Result<LibCurl, TransportError>
  ) {
    self.userAgent = userAgent
    self.timeouts = timeouts
    self.limits = limits
    self.network = NetworkSettings(environment)
    self.observer = observer
    self.library = library
  }

  package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let destination = try Destination(request.url)
    let plan = TransferPlan(
      request: request,
      destination: destination,
      headerLines: try request.headerLines(for: destination),
      userAgent: userAgent,
      timeouts: timeouts,
      limits: limits,
      network: network
    )
    let cancellation = Cancellation()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let started = startThread { continuation.resume(returning: self.perform(plan, until: cancellation)) }
        if !started {
          continuation.resume(
            returning: .failure(plan.failure(.unavailable, "the system gave no thread for a request"))
          )
        }
      }
    } onCancel: {
      cancellation.raise()
    }
    return try result.get()
  }

  private func perform(_ plan: TransferPlan, until cancellation: Cancellation) -> Result<HTTPResponse, TransportError> {
    let clock = ContinuousClock()
    let start = clock.now
    let result =
      ShutdownBarrier.pass { transfer(plan, until: cancellation) }
      ?? .failure(plan.failure(.cancelled, "the program is ending"))
    if let observer {
      observer(
        HTTPExchange(
          method: plan.request.method,
          url: plan.destination.withoutQuery,
          status: try? result.get().status,
          milliseconds: (clock.now - start).milliseconds
        )
      )
    }
    return result
  }

  private func transfer(_ plan: TransferPlan, until cancellation: Cancellation) -> Result<HTTPResponse, TransportError>
  {
    library().flatMap { library in
      guard let session = idle.withLock({ $0.popLast() }) ?? CurlSession(library) else {
        return .failure(plan.failure(.unavailable, "out of memory"))
      }
      let result = session.perform(plan, until: cancellation)
      // What failed may have left a connection in the middle of something.
      if case .success = result {
        idle.withLock { if $0.count < Self.idleLimit { $0.append(session) } }
      }
      return result
    }
  }
}
