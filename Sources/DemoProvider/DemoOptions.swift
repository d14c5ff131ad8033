import Glibc
package import LibCrypto
package import Core

/// How a demo provider behaves.
package struct DemoOptions: Sendable {
  /// The port on 127.0.0.1; 0 lets the system choose a free one.
  package var port: UInt16
  /// The lifetime of access and ID tokens, in seconds.
  package var accessTokenLifetime: Int64
  /// Its faults.
  package var faults: Set<Fault>
  /// The algorithm that signs ID tokens.
  package var algorithm: SignatureAlgorithm
  /// Whether each refresh token is accepted once and replaced by a new one (RFC 9700 §2.2.2).
  package var rotates: Bool
  /// Whether all applications form a family, whose members may use each other's refresh tokens.
  package var isFamily: Bool
  /// The minimum time between two polls of a device, in seconds (RFC 8628 §3.2).
  package var devicePollingInterval: Int64
  /// Its clock.
  package var clock: any WallClock
  /// Its public address when there is a proxy before it; nil for its own.
  package var publicURL: String?
  /// The base of its issuers, if different: External ID's have the tenant ID as the host.
  package var issuerURL: String?
  /// The address of another cloud, by the ID of a person whose account is there.
  package var homeClouds: [String: String] = [:]
  /// Called for each request, after its response is made.
  package var onRequest: @Sendable (RecordedRequest) -> Void = { _ in }

  package init(
    port: UInt16 = 0,
    accessTokenLifetime: Int64 = 3600,
    faults: Set<Fault> = [],
    algorithm: SignatureAlgorithm = .rs256,
    rotates: Bool = true,
    isFamily: Bool = false,
    devicePollingInterval: Int64 = 1,
    clock: any WallClock = SystemClock()
  ) {
    self.port = port
    self.accessTokenLifetime = accessTokenLifetime
    self.faults = faults
    self.algorithm = algorithm
    self.rotates = rotates
    self.isFamily = isFamily
    self.devicePollingInterval = devicePollingInterval
    self.clock = clock
  }
}

/// The time of this machine.
package struct SystemClock: WallClock {
  package init() {}

  package func now() -> UnixTime { UnixTime(time(nil)) }
}
