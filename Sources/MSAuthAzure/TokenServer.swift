import FoundationEssentials
import Glibc
package import MSAuth
import MSAuthCore
import MSAuthDesktop
import MSAuthLoopback

/// An ``AzureEndpoint`` that serves one account's tokens.
package struct TokenServer: Sendable {
  /// Why the server stopped.
  package enum EndReason: Sendable {
    case signedOut, sessionEnded, timeLimitReached
  }

  private let client: PublicClientApplication
  private let account: Account
  private let endpoint: AzureEndpoint
  private let listener: LoopbackListener
  private let tokens: SharedTokens
  /// Returns the message of an error about a scope.
  private let describe: @Sendable (AuthenticationError, _ scope: String) -> String

  private static let checkInterval: Duration = .seconds(2)

  /// Whether only this computer can reach the address, and the owner of each connection is known.
  package static func isLoopback(_ address: String) -> Bool { LoopbackHost(address: address) != nil }

  /// Binds a port of a numeric address, by default 127.0.0.1; without a list, serves all resources.
  package init(
    client: PublicClientApplication,
    account: Account,
    resources: [String]? = nil,
    address: String? = nil,
    port: UInt16 = 0,
    servesIMDS: Bool = false,
    interaction: Interaction?,
    describe: @escaping @Sendable (AuthenticationError, _ scope: String) -> String
  ) throws(AuthenticationError) {
    (self.client, self.account, self.describe) = (client, account, describe)
    endpoint = AzureEndpoint(
      secret: .random(),
      clientID: client.configuration.clientID,
      resources: resources,
      servesIMDS: servesIMDS
    )
    tokens = SharedTokens(client: client, account: account, interaction: interaction)
    let address = address ?? LoopbackHost.ipv4.uriHost
    if let loopback = LoopbackHost(address: address) {
      let isWSL = DesktopSession(environment: client.configuration.environment).isWSL
      listener = try LoopbackListener(loopback, port: port, peerCheck: .system(isWSL: isWSL))
    } else {
      // The names of the host in containers of Docker and Podman.
      let names = ["host.docker.internal", "host.containers.internal"]
      listener = try LoopbackListener(address: address, names: names, port: port)
    }
  }

  /// The variables that make SDKs use this server.
  package var variables: [(name: String, value: String)] {
    endpoint.variables(at: "http://\(listener.uriHost):\(listener.port)")
  }

  /// Serves until the account is signed out, the session's directory is removed, the time is up or the task is canceled.
  package func run(for time: Duration? = nil, sessionDirectory: String? = nil) async throws -> EndReason? {
    try await withThrowingTaskGroup(of: EndReason?.self) { group in
      group.addTask {
        try await listener.run(rejection: { status, _ in .empty(status) }, respond)
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

  private func watch(_ directory: String) async -> EndReason? {
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
      let expiresOn = result.expiresOn.unixTime
      return endpoint.response(try result.bearerToken(), expiresOn: expiresOn, to: request, now: UnixTime(time(nil)))
    } catch {
      let error = error.code == .canceled ? AuthenticationError(.canceled, "the endpoint is closing") : error
      return endpoint.response(EndpointError(error, message: describe(error, request.scope)), request.contract)
    }
  }
}
