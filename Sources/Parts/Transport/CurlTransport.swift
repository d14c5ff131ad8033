import CMSAuthCurl
import FoundationEssentials
package import MSAuthCore
import MSAuthUnix
import Synchronization

/// Sends requests with libcurl, which supports proxies, the system's certificates and HTTP/2.
///
/// libcurl blocks, so each request runs on a dedicated thread. Redirects are not followed: they would send a code or a
/// refresh token to another host.
package final class CurlTransport: HTTPTransport {
  /// A request that has ended, for the log, without secrets: its URL has no query, and the status is `nil` without a response.
  package typealias Exchange = (method: HTTPRequest.Method, url: String, status: Int?, milliseconds: Int)

  private let userAgent: String
  private let limits: TransferLimits
  private let network: NetworkSettings
  private let libraryNames: [String]?
  private let observer: (@Sendable (Exchange) -> Void)?
  private let idleSessions = Mutex<[CurlSession]>([])

  /// A flow sends at most two requests at once.
  private static let maximumIdleSessions = 2

  /// libcurl is opened on the first request.
  package init(
    userAgent: String = "msauth",
    environment: [String: String] = ProcessInfo.processInfo.environment,
    caFile: String? = nil,
    limits: TransferLimits = TransferLimits(),
    libraryNames: [String]? = nil,
    observer: (@Sendable (Exchange) -> Void)? = nil
  ) {
    self.userAgent = userAgent
    self.limits = limits
    self.network = NetworkSettings(environment, caFile: caFile)
    self.libraryNames = libraryNames
    self.observer = observer
  }

  package func send(_ request: HTTPRequest) async throws(AuthenticationError) -> HTTPResponse {
    let destination = try WebURL(requesting: request.url)
    var limits = limits
    limits.bodyBytes = request.maximumResponseBytes ?? limits.bodyBytes
    let transfer = Transfer(
      request: request,
      destination: destination,
      headerLines: try request.headerLines(for: destination),
      userAgent: userAgent,
      limits: limits,
      network: network
    )
    if transfer.proxyName != nil, let flaw = network.proxyFlaw {
      throw transfer.failure(.urlRefused, flaw.message, hint: flaw.hint)
    }
    try BackgroundThread.requireFreeThreads()
    return try await BackgroundThread.run { cancellation throws(AuthenticationError) in
      try self.observed(transfer, until: cancellation)
    }
  }

  package func prepare() async {
    await BackgroundThread.run { _ in _ = ShutdownBarrier.pass { try? self.library() } }
  }

  private func library() throws(AuthenticationError) -> UnsafePointer<libcurl> {
    if let libraryNames { try LibCurl.open(libraryNames) } else { try LibCurl.shared.get() }
  }

  private func observed(_ transfer: Transfer, until cancellation: Cancellation) throws(AuthenticationError)
    -> HTTPResponse
  {
    let clock = ContinuousClock()
    let start = clock.now
    let result =
      ShutdownBarrier.pass { Result { () throws(AuthenticationError) in try perform(transfer, until: cancellation) } }
      ?? .failure(AuthenticationError.canceled)
    let url = transfer.destination.origin + transfer.destination.path
    observer?((transfer.request.method, url, try? result.get().status, (clock.now - start).milliseconds))
    return try result.get()
  }

  private func perform(_ transfer: Transfer, until cancellation: Cancellation) throws(AuthenticationError)
    -> HTTPResponse
  {
    do throws(FileError) {
      try network.checkCAFile()
    } catch {
      let message = "the trusted certificates can't be used: \(error)"
      throw transfer.failure(.tlsUntrusted, message, hint: error.hint ?? network.checkCASetting)
    }
    let library = try library()
    guard let session = idleSessions.withLock({ $0.popLast() }) ?? CurlSession(library) else {
      throw transfer.failure(.transferFailed, "out of memory")
    }
    let response = try session.perform(transfer, until: cancellation)
    // The connection of a failed session may be unusable.
    idleSessions.withLock { if $0.count < Self.maximumIdleSessions { $0.append(session) } }
    return response
  }
}
