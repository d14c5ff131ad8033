import FoundationEssentials
import Glibc
package import MSAuth
import MSAuthCore
import MSAuthCrypto
import MSAuthDesktop
import MSAuthLoopback

/// An ``AzureEndpoint`` that serves one account's tokens.
package struct TokenServer: Sendable {
  package enum End: Sendable {
    case signedOut, sessionEnded, timeLimitReached
  }

  private let client: PublicClientApplication
  private let account: Account
  private let endpoint: AzureEndpoint
  private let listener: LoopbackListener
  private let tokens: SharedTokens
  private let describe: @Sendable (AuthenticationError, String) -> String

  private static let checkInterval: Duration = .seconds(2)

  /// Whether only this computer can reach an address, so that the owner of each connection is known.
  package static func isLoopback(_ address: String) -> Bool { loopback[address] != nil }

  private static let loopback: [String: LoopbackHost] = ["127.0.0.1": .ipv4, "::1": .ipv6]

  /// Binds a port of a numeric address, by default 127.0.0.1; serves all resources unless some are listed.
  package init(
    client: PublicClientApplication,
    account: Account,
    resources: [String]? = nil,
    address: String? = nil,
    port: UInt16 = 0,
    servesIMDS: Bool = false,
    interaction: Interaction?,
    describe: @escaping @Sendable (AuthenticationError, String) -> String
  ) throws(AuthenticationError) {
    (self.client, self.account, self.describe) = (client, account, describe)
    endpoint = AzureEndpoint(
      secret: .random(),
      clientID: client.configuration.clientID,
      resources: resources,
      servesIMDS: servesIMDS
    )
    tokens = SharedTokens(client: client, account: account, interaction: interaction)
    let loopback = address.map { Self.loopback[$0] } ?? .ipv4
    if let loopback {
      let isWSL = DesktopSession(environment: client.configuration.environment).isWSL
      listener = try LoopbackListener(loopback, port: port, peerOwner: .system(isWSL: isWSL))
    } else {
      // The names of the host in containers of Docker and Podman.
      let names = ["host.docker.internal", "host.containers.internal"]
      listener = try LoopbackListener(address: address ?? "", names: names, port: port)
    }
  }

  /// The variables that lead SDKs here.
  package var variables: [(name: String, value: String)] {
    endpoint.variables(at: "http://\(listener.uriHost):\(listener.port)")
  }

  /// Serves until the account is signed out, the session's directory disappears, the time is up, or the task is canceled.
  package func run(for time: Duration? = nil, sessionDirectory: String? = nil) async throws -> End? {
    try await withThrowingTaskGroup(of: End?.self) { group in
      group.addTask {
        try await listener.run(refusal: { status, _ in .empty(status) }, respond)
        return nil
      }
      group.addTask {
        await client.watchStore { try await $0.isSignedOut(account.identifier) } ? .signedOut : nil
      }
      if let sessionDirectory { group.addTask { await watch(sessionDirectory) } }
      if let time {
        group.addTask {
          try await Task.sleep(for: time)
          return .timeLimitReached
        }
      }
      let end = await group.nextResult()
      listener.close()
      group.cancelAll()
      // A prompt must not keep the endpoint open.
      await tokens.cancel()
      return try end?.get() ?? nil
    }
  }

  private func watch(_ directory: String) async -> End? {
    while !Task.isCancelled {
      if access(directory, F_OK) != 0 { return .sessionEnded }
      try? await Task.sleep(for: Self.checkInterval)
    }
    return nil
  }

  private func respond(_ request: LoopbackRequest) async -> LoopbackResponse {
    switch endpoint.decide(request) {
    case .response(let response): response
    case .token(let request): await respond(request)
    }
  }

  private func respond(_ request: AzureEndpoint.TokenRequest) async -> LoopbackResponse {
    do {
      let result = try await tokens.token(request.scope, replacing: request.rejectedDigest)
      let expiresOn = UnixTime(result.expiresOn.timeIntervalSince1970)
      return endpoint.response(try result.bearerToken(), expiresOn: expiresOn, to: request, now: UnixTime(time(nil)))
    } catch {
      let error = error.code == .canceled ? AuthenticationError(.canceled, "the endpoint is closing") : error
      return endpoint.response(EndpointError(error, message: describe(error, request.scope)), request.contract)
    }
  }
}

/// Requests each token once for all that wait for it, and prompts for one at a time.
actor SharedTokens {
  private let client: any ClientApplication
  private let account: Account
  private let interaction: Interaction?
  private var requests: [[String?]: Task<TokenResult, any Error>] = [:]
  private var lastPrompt: Task<TokenResult, any Error>?
  /// When each scope's last prompt ended: a program that repeats its request must not open a browser each time.
  private var prompted: [String: ContinuousClock.Instant] = [:]
  private let pause: Duration

  init(client: any ClientApplication, account: Account, interaction: Interaction?, pause: Duration = .seconds(60)) {
    (self.client, self.account, self.interaction, self.pause) = (client, account, interaction, pause)
  }

  /// Returns a token, and not the stored one if this is its SHA-256: a resource rejected it.
  func token(_ scope: String, replacing digest: String?) async throws(AuthenticationError) -> TokenResult {
    let result = try await token(scope)
    let stored = Secret(result.accessToken)
    guard digest?.lowercased() == Self.digest(stored) else { return result }
    return try await token(scope, insteadOf: stored)
  }

  func token(_ scope: String, insteadOf rejected: Secret? = nil) async throws(AuthenticationError) -> TokenResult {
    // A request that may return the rejected token can't be joined.
    let key = [scope, rejected.map(Self.digest)]
    let request = requests[key] ?? Task { try await self.request(scope, insteadOf: rejected) }
    requests[key] = request
    defer { if requests[key] == request { requests[key] = nil } }
    return try await request.get()
  }

  private func request(_ scope: String, insteadOf rejected: Secret?) async throws(AuthenticationError) -> TokenResult {
    var parameters = TokenParameters(scopes: [scope], account: account)
    (parameters.interaction, parameters.rejectedToken) = (nil, rejected)
    do {
      return try await client.token(with: parameters)
    } catch {
      guard let interaction, error.code == .interactionRequired,
        prompted[scope].map({ $0.duration(to: .now) >= pause }) ?? true
      else { throw error }
      parameters.interaction = interaction
    }
    let prompt = Task { [client, lastPrompt, parameters] in
      _ = await lastPrompt?.result
      return try await client.token(with: parameters)
    }
    lastPrompt = prompt
    defer { prompted[scope] = .now }
    do {
      return try await withTaskCancellationHandler {
        try await prompt.value
      } onCancel: {
        prompt.cancel()
      }
    } catch {
      throw AuthenticationError(wrapping: error)
    }
  }

  private static func digest(_ token: Secret) -> String { Digest.sha256.hash(token.revealed.utf8).hexadecimal }

  /// Cancels the requests, and the prompt that is open.
  func cancel() { for request in requests.values { request.cancel() } }
}
