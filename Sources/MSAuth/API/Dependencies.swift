import MSAuthCrypto
import MSAuthDesktop
import MSAuthTransport

/// Everything outside that a flow touches, gathered so that a test can replace each piece.
struct Dependencies: Sendable {
  var transport: any HTTPTransport
  var browser: any BrowserOpening
  var session: DesktopSession
  var store: StoreChoice
  /// Whether the device is one person's or shared.
  var device = DeviceInformation(mode: .privateDevice)
  var documents: any DocumentCache
  /// The directories that may have a template of the pages, the first that has one counts.
  var templateDirectories: [String] = []
  var clock: any WallClock
  var random: any RandomSource
  /// How a flow waits before it asks again.
  var pause: any Pausing = SystemPause()
}

/// What a flow works with: what the application asked for, and everything outside that it touches.
struct Context: Sendable {
  let configuration: ClientConfiguration
  let dependencies: Dependencies
}

/// Where unpredictable bytes come from.
protocol RandomSource: Sendable {
  func bytes(_ count: Int) -> [UInt8]
}

extension SystemRandom: RandomSource {}

extension RandomSource {
  /// A `state` or a `nonce`: 256 bits in base64url.
  func secret() -> Secret { Secret(Base64URL.encode(bytes(32))) }
}

/// The waits between two questions.
protocol Pausing: Sendable {
  /// Waits.
  func pause(seconds: Int64) async throws
}

/// Documents of a provider that may be kept between runs: its metadata and its keys.
protocol DocumentCache: Sendable {
  /// Returns a kept document and when it was fetched, or nil.
  func document(_ name: String) async -> (bytes: [UInt8], fetched: UnixTime)?
  /// Keeps a document; failing to is no error, since it can be fetched again.
  func keep(_ bytes: [UInt8], as name: String, fetched: UnixTime) async
}

extension WallClock {
  /// The seconds since a document was fetched; a fetch in the future (the clock was set back) counts as old.
  func age(of fetched: UnixTime) -> UnixTime {
    let age = now() - fetched
    return age < 0 ? .max : age
  }
}
