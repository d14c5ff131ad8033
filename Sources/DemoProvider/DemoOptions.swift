import Glibc
package import LibCrypto
package import Core

/// How a demo provider is to behave.
package struct DemoOptions: Sendable {
  /// The port on 127.0.0.1; 0 lets the system choose a free one.
  package var port: UInt16
  /// How long an access token and an ID token live, in seconds.
  package var accessTokenLifetime: Int64
  /// What it does wrong.
  package var faults: Set<Fault>
  /// What it signs ID tokens with.
  package var algorithm: SignatureAlgorithm
  /// Whether each refresh token is accepted once and replaced by a new one (RFC 9700 §2.2.2).
  package var rotates: Bool
  /// Whether all applications are one of Microsoft's families, each of which may use the others' refresh tokens.
  package var isFamily: Bool
  /// The pause that a device has to keep between two polls, in seconds (RFC 8628 §3.2).
  package var devicePollingInterval: Int64
  /// Where the time comes from.
  package var clock: any WallClock
  /// The address that it calls itself by, when something in front of it answers there; nil for its own.
  package var publicURL: String?
  /// Where its issuers are, when that is elsewhere: those of External ID have the tenant's id for a host.
  package var issuerURL: String?
  /// The address of another cloud, by the id of a person who lives there.
  package var homes: [String: String] = [:]

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
