package import MSAuthCore
package import MSAuthCrypto

package struct DemoOptions: Sendable {
  /// A port of 127.0.0.1; 0 selects a free one.
  package var port: UInt16
  /// For access and ID tokens, in seconds.
  package var accessTokenLifetime: Int64
  package var faults: Set<Fault>
  package var algorithm: SignatureAlgorithm
  /// Whether a refresh replaces the refresh token (RFC 9700 §2.2.2).
  package var rotates: Bool
  /// Whether applications can use each other's refresh tokens.
  var isFamily: Bool
  package var clock: any WallClock
  /// The address of a proxy in front of the provider.
  var publicURL: String?
  /// The base of its issuers if different; External ID's have the tenant ID as the host.
  package var issuerURL: String?
  /// The addresses of other clouds, by the IDs of users there.
  var homeClouds: [String: String] = [:]
  /// Whether the requests are kept, for tests.
  package var records = true
  package var onRequest: @Sendable (RecordedRequest) -> Void = { _ in }

  package init(
    port: UInt16 = 0,
    accessTokenLifetime: Int64 = 3600,
    faults: Set<Fault> = [],
    algorithm: SignatureAlgorithm = .rs256,
    rotates: Bool = true,
    isFamily: Bool = false,
    clock: any WallClock = SystemClock()
  ) {
    self.port = port
    self.accessTokenLifetime = accessTokenLifetime
    self.faults = faults
    self.algorithm = algorithm
    self.rotates = rotates
    self.isFamily = isFamily
    self.clock = clock
  }
}
