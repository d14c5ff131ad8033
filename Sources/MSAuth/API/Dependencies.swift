package import Desktop
import OAuth
package import Core
package import LibCrypto
package import Transport

/// Everything outside that a flow touches, gathered so that a test can replace each piece.
package struct Dependencies: Sendable {
  package var transport: any HTTPTransport
  package var browser: any BrowserOpening
  package var session: DesktopSession
  package var store: StoreChoice
  /// Whether the device is one person's or shared.
  package var device: DeviceInformation
  package var documents: any DocumentCache
  /// The directories that may have a template of the pages, the first that has one counts.
  package var templateDirectories: [String]
  package var clock: any WallClock
  package var random: any RandomSource
  /// How a flow waits before it asks again.
  package var pause: any Pausing

  package init(
    transport: any HTTPTransport,
    browser: any BrowserOpening,
    session: DesktopSession,
    store: StoreChoice,
    device: DeviceInformation = DeviceInformation(mode: .privateDevice),
    documents: any DocumentCache,
    templateDirectories: [String] = [],
    clock: any WallClock,
    random: any RandomSource,
    pause: any Pausing = SystemPause()
  ) {
    self.transport = transport
    self.browser = browser
    self.session = session
    self.store = store
    self.device = device
    self.documents = documents
    self.templateDirectories = templateDirectories
    self.clock = clock
    self.random = random
    self.pause = pause
  }
}

/// What a flow works with: what the application asked for, and everything outside that it touches.
package struct Context: Sendable {
  package let configuration: ClientConfiguration
  package let dependencies: Dependencies

  package init(configuration: ClientConfiguration, dependencies: Dependencies) {
    self.configuration = configuration
    self.dependencies = dependencies
  }
}

/// Where unpredictable bytes come from.
package protocol RandomSource: Sendable {
  func bytes(_ count: Int) -> [UInt8]
}

extension SystemRandom: RandomSource {}

/// The waits between two questions.
package protocol Pausing: Sendable {
  /// Waits.
  func pause(seconds: Int64) async throws
}

/// Documents of a provider that may be kept between runs: its metadata and its keys.
package protocol DocumentCache: Sendable {
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
