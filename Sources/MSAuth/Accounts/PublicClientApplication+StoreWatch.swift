package import MSAuthUnix

extension Context {
  /// The times of the store's files, which change with it; empty for a store in memory.
  package func storeState() async -> [FileState?] {
    let files = store.changingFiles
    return await BackgroundThread.run(isBrief: true) { _ in files.map { FileState(of: $0) } }
  }
}

extension PublicClientApplication {
  /// Seconds between two checks of the store's file.
  private static let storeCheckInterval: Int64 = 2
  /// Seconds between two checks while ``watchToken(with:)`` runs, perhaps overnight.
  private static let tokenCheckInterval: Int64 = 10

  /// The same application for work in the background, which never prompts for a keyring's password.
  package var withoutPrompts: PublicClientApplication {
    PublicClientApplication(Context(configuration: configuration, dependencies: context.dependencies.inBackground))
  }

  /// Checks a condition once, and after each change of the store until it is met; returns false if the task was canceled.
  @discardableResult
  package func watchStore(
    every interval: Int64 = storeCheckInterval,
    until isMet: (PublicClientApplication) async throws -> Bool
  ) async -> Bool {
    let client = withoutPrompts
    var seen: [FileState?]?
    while !Task.isCancelled {
      let now = await context.storeState()
      // An unchanged store isn't read; a check that throws is repeated.
      if now != seen || now.isEmpty {
        seen = now
        do {
          if try await isMet(client) { return true }
        } catch {
          seen = nil
        }
      }
      try? await context.dependencies.pause(interval)
    }
    return false
  }

  /// Waits for a token that needs no prompt, as after another process's sign-in; returns false if the task was canceled.
  package func watchToken(with parameters: TokenParameters) async -> Bool {
    await watchStore(every: Self.tokenCheckInterval) { client in
      do throws(AuthenticationError) {
        _ = try await client.token(with: parameters)
        return true
      } catch {
        // If a sign-in is needed, no refresh token is sent again before the store changes.
        guard error.needsSignIn else { throw error }
        return false
      }
    }
  }

  /// Whether the account is signed out, for ``watchStore(every:until:)``.
  package func isSignedOut(_ identifier: String) async throws(AuthenticationError) -> Bool {
    let document = try await context.store.load()
    return await AccountList(context: context).signedIn(identifier, in: document) == nil
  }
}
