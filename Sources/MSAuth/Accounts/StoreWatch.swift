import MSAuthUnix

extension PublicClientApplication {
  private static let storeCheckInterval: Duration = .seconds(2)

  /// The same application for work in the background, which never prompts for a keyring's password.
  package var withoutPrompts: PublicClientApplication {
    var dependencies = context.dependencies
    dependencies.store = dependencies.store.withoutPrompts
    return PublicClientApplication(Context(configuration: configuration, dependencies: dependencies))
  }

  /// Checks a condition once, and after each change of the store until it is met; returns whether it is, or the task was
  /// canceled.
  ///
  /// Watches the time of the store's file, so an unchanged store isn't read. A check that throws is repeated.
  @discardableResult
  package func watchStore(
    every interval: Duration = storeCheckInterval,
    until isMet: (PublicClientApplication) async throws -> Bool
  ) async -> Bool {
    let (files, client) = (context.store.changingFiles, withoutPrompts)
    var seen: [FileState?]?
    while !Task.isCancelled {
      let now = await BackgroundThread.run { _ in files.map { FileState(of: $0) } }
      // A store in memory has no file.
      if now != seen || files.isEmpty {
        seen = now
        do {
          if try await isMet(client) { return true }
        } catch {
          seen = nil
        }
      }
      try? await Task.sleep(for: interval)
    }
    return false
  }

  /// Whether the account is signed out, for ``watchStore(every:until:)``.
  package func isSignedOut(_ identifier: String) async throws -> Bool {
    try await accounts(matching: AccountFilter(identifier: identifier)).isEmpty
  }
}
