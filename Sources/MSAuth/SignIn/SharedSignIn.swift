/// One prompt for all processes that need the same sign-in.
package struct SharedSignIn: Sendable {
  /// How often a waiting process looks for the result.
  private static let pollInterval: Duration = .milliseconds(200)

  private let lock: LockFile
  private let store: StoreChoice
  private let interaction: Interaction

  package init(lock: LockFile, store: StoreChoice, interaction: Interaction) {
    (self.lock, self.store, self.interaction) = (lock, store, interaction)
  }

  /// Signs in, or waits for another process that does.
  ///
  /// `before` is the document in which the caller found no token. `lastSignIn` returns what a sign-in changes and a refresh
  /// doesn't. `result` returns a token from what another process has stored.
  package func run<Mark: Equatable>(
    after before: TokenCacheDocument,
    lastSignIn: (TokenCacheDocument) -> Mark,
    result: (TokenCacheDocument) async throws(AuthenticationError) -> TokenResult?,
    _ signIn: () async throws -> TokenResult
  ) async throws -> TokenResult {
    let clock = ContinuousClock()
    let deadline = clock.now.advanced(by: interaction.browserTimeout)
    var seen = before
    var hasWaited = false
    while true {
      let held = try await unlessHeld { () async throws(AuthenticationError) in
        try await lock.acquire(within: hasWaited ? Self.pollInterval : .zero)
      } onHeld: { owner in
        if !hasWaited { interaction.onEvent?(.joining(owner: owner)) }
      }
      if let held {
        return try await held.whileHeld {
          // Each snapshot is compared with the previous one; a second read in between would hide a change.
          let current = try await store.load()
          if current != seen, let result = try await result(current) { return result }
          // If no sign-in has completed in the meantime, the user probably declined, so the waiting processes don't
          // prompt again.
          if !hasWaited || lastSignIn(current) != lastSignIn(before) { return try await signIn() }
          let message = "another process was signing in, but didn't get a token"
          throw AuthenticationError(.interactionRequired, message, reason: "joined_sign_in_failed", hint: .tryAgain)
        }
      }
      let current = try await store.load()
      if current != seen, let result = try await result(current) { return result }
      seen = current
      guard clock.now < deadline else {
        let message = "another process was signing in for more than \(interaction.browserTimeout.words)"
        let hint: Hint = "finish the other sign-in in the browser, or end its process"
        throw AuthenticationError(.timedOut, message, reason: "joined_sign_in_slow", hint: hint)
      }
      hasWaited = true
    }
  }
}
