import Core
package import Desktop
import FoundationEssentials
import LibCrypto
import TokenCache

/// Looks at everything that a sign-in needs, and changes nothing: no browser is opened, nobody asked, and no file left
/// that was not there.
package struct Diagnosis: Sendable {
  /// The application's configuration; nil where there is none that can be used.
  let configuration: ClientConfiguration?
  let environment: [String: String]
  let session: DesktopSession
  /// How long a check may take.
  let timeout: Duration

  package init(
    of configuration: ClientConfiguration?,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    session: DesktopSession,
    timeout: Duration
  ) {
    self.configuration = configuration
    self.environment = environment
    self.session = session
    self.timeout = timeout
  }

  /// Makes all checks at the same time.
  package func run(_ report: (CheckResult) throws -> Void) async rethrows {
    // Three checks need what another one finds out.
    let keyring = Task { await keyringState() }
    let provider = Task { await providerAnswer() }
    let port = Task { boundPort() }
    let checks = [
      limited("session") { checkSession() },
      limited("browser") { await checkBrowser() },
      limited("network") { await checkNetwork(provider.value) },
      limited("runtime_directory") { await checkRuntimeDirectory() },
      limited("device") { await checkDevice() },
      limited("pages") { await checkPages() },
      limited("keyring") { await checkKeyring(keyring.value) },
      limited("store") { await checkStore(keyring.value) },
      limited("provider") { checkProvider(await provider.value) },
      limited("clock") { checkClock(await provider.value) },
      limited("port") { checkPort(await port.value) },
      limited("registration") { await checkRegistration(provider.value, port.value) },
    ]
    try await withTaskCancellationHandler {
      for check in checks { try report(await check.value) }
    } onCancel: {
      for check in checks { check.cancel() }
      keyring.cancel()
      provider.cancel()
    }
  }

  /// Starts a check, and leaves it behind when it takes too long: a file on a dead network drive, for instance.
  private func limited(
    _ name: String,
    _ check: @escaping @Sendable () async -> CheckResult
  ) -> Task<CheckResult, Never> {
    Task {
      let result = OneShot<CheckResult>()
      let work = Task { result.resume(await check()) }
      defer { work.cancel() }
      // A check that waits for another one gets a little longer than that one's own limit.
      let outcome = try? await withTimeout(timeout + .seconds(1)) { try await result.value() }
      return outcome ?? CheckResult(name, .failed, "no result within \(timeout.words)", .tryAgain)
    }
  }
}
