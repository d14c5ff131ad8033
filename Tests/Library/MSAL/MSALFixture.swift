@testable import DemoProvider
import MSAuthCache
import MSAuthCrypto
@testable import MSAuthDesktop
import MSAuthTransport
import Synchronization
import TestSupport
import Testing

@testable import MSAL
@testable import MSAuth

/// An application with the demo provider, and a user who completes its pages.
struct MSALFixture: Sendable {
  let provider: DemoProvider
  let browser = WalkedBrowser()
  private let store = MemoryStore()

  private let device: DeviceInformation

  init(
    _ options: DemoOptions = DemoOptions(algorithm: .es256),
    device: DeviceInformation.Mode = .privateDevice
  ) async throws {
    self.device = DeviceInformation(mode: device)
    provider = try await DemoProvider.start(options)
  }

  /// An application that shares only the store, like another process.
  func application(
    _ change: (inout ClientConfiguration) -> Void = { _ in },
    configure: (MSALPublicClientApplicationConfig) -> Void = { _ in }
  ) throws -> MSALPublicClientApplication {
    guard let url = URL(string: provider.entraAuthority()) else { throw TestFailure("no authority") }
    let configuration = MSALPublicClientApplicationConfig(
      clientId: provider.clientID,
      redirectUri: nil,
      authority: try MSALAADAuthority(url: url)
    )
    configure(configuration)
    let dependencies = Dependencies(
      transport: CurlTransport(environment: [:]),
      browser: browser,
      session: DesktopSession(environment: [:]),
      store: StoreChoice(store),
      device: device,
      clock: TestClock()
    )
    return try MSALPublicClientApplication(configuration: configuration) { record in
      var record = record
      change(&record)
      return try PublicClientApplication(configuration: record, dependencies: dependencies)
    }
  }

  /// Parameters with a completion queue, since no main queue runs here.
  func interactive(_ scopes: [String] = ["User.Read"]) -> MSALInteractiveTokenParameters {
    let parameters = MSALInteractiveTokenParameters(scopes: scopes, webviewParameters: MSALWebviewParameters())
    parameters.completionBlockQueue = .global()
    return parameters
  }

  func signOut(fromBrowser: Bool = false) -> MSALSignoutParameters {
    let parameters = MSALSignoutParameters(webviewParameters: MSALWebviewParameters())
    parameters.completionBlockQueue = .global()
    parameters.signoutFromBrowser = fromBrowser
    return parameters
  }
}

/// A browser whose user completes the pages by default.
final class WalkedBrowser: BrowserOpening {
  /// What happens to an opened URL.
  enum Behavior: Sendable {
    /// The user signs in, or denies.
    case walks(accepts: Bool)
    /// Nothing happens.
    case leaves
    /// There is no browser.
    case isMissing
  }

  private let behavior = Mutex(Behavior.walks(accepts: true))
  private let walker = ScriptedBrowser()
  private let seen = Mutex<[String]>([])

  /// In order.
  var addresses: [String] { seen.withLock { $0 } }

  func now(_ behavior: Behavior) { self.behavior.withLock { $0 = behavior } }

  func open(_ url: FoundationEssentials.URL, until _: OneShot<Void>) async throws(AuthenticationError) -> String {
    seen.withLock { $0.append(url.absoluteString) }
    let walker = walker
    switch behavior.withLock({ $0 }) {
    case .walks(let accepts):
      Task { try await walker.walk(from: url.absoluteString, as: "ada", accepts: accepts) }
    case .leaves:
      break
    case .isMissing:
      throw .noDisplay("a test")
    }
    return "walker"
  }
}

extension NSError {
  var internalCode: MSALInternalError? {
    (userInfo[MSALInternalErrorCodeKey] as? Int).flatMap(MSALInternalError.init)
  }
}

/// Gives each test its own interactive session; a process has only one at a time.
struct OwnSession: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    try await InteractiveSession.$registry.withValue(InteractiveSession.Registry()) { try await function() }
  }
}

extension Trait where Self == OwnSession {
  static var ownSession: Self { OwnSession() }
}
