import Desktop
import Foundation
import Core
import TokenCache
import Transport

@testable import MSAuth

/// What a call that needs nothing but the store may not touch.
private struct Nothing: HTTPTransport, BrowserOpening, DocumentCache, RandomSource {
  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    throw TransportError(.refused, host: "h", message: "nothing is to be asked")
  }

  func open(_ url: URL) async throws(BrowserError) -> String { "no browser" }
  func document(_ name: String) -> (bytes: [UInt8], fetched: UnixTime)? { nil }
  func keep(_ bytes: [UInt8], as name: String, fetched: UnixTime) {}
  func bytes(_ count: Int) throws -> [UInt8] { [] }
}

private struct Noon: WallClock {
  func now() -> UnixTime { TokenGrant.noon }
}

extension Dependencies {
  /// A store, and a world that fails loudly when it is asked for anything.
  static func offline(_ store: any TokenCacheStore, cacheFile: String? = nil) -> Dependencies {
    Dependencies(
      transport: Nothing(),
      browser: Nothing(),
      session: DesktopSession(environment: [:]),
      store: store,
      cacheFile: cacheFile,
      documents: Nothing(),
      clock: Noon(),
      random: Nothing()
    )
  }
}

extension TokenGrant {
  /// When the sample was stored, and it is still that time.
  static let noon: UnixTime = 1_700_000_000

  /// Ada's sign-in to the application `c`.
  static var sample: TokenGrant {
    TokenGrant(
      homeAccountID: "uid.utid",
      environment: "login.microsoftonline.com",
      realm: "utid",
      clientID: "c",
      username: "ada@contoso.com",
      localAccountID: "uid",
      authorityType: "MSSTS",
      accessToken: Secret("AT"),
      scopes: ["User.Read"],
      cachedAt: noon,
      expiresOn: noon + 3600,
      refreshToken: Secret("RT")
    )
  }
}
