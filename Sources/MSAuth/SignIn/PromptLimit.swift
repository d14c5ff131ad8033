/// Keeps a program whose requests fail again and again from prompting the user for each of them.
package struct PromptLimit: Sendable {
  /// The limit for prompts that add scopes or come within the pause: a server could require them for every request.
  private static let maximumExtraPrompts = 4

  /// How long no prompt follows one that failed or didn't help.
  private let pause: Duration
  private var last: (error: AuthenticationError?, end: ContinuousClock.Instant)?
  /// Whether a token has been accepted since the last prompt.
  private var hasHelped = false
  private var extraPrompts = 0
  /// The sets of scopes that the user signed in for.
  private var addedScopes: Set<[String]> = []

  package init(pause: Duration = .seconds(60)) { self.pause = pause }

  package var lastError: AuthenticationError? { last?.error }

  package func mayPrompt(at start: ContinuousClock.Instant = .now, addingScopes: Bool = false) -> Bool {
    guard isPause(at: start) else { return true }
    return lastError == nil && (addingScopes || hasHelped && extraPrompts < Self.maximumExtraPrompts)
  }

  /// Whether a sign-in may add these scopes: not again if it has, since the server still requires them.
  package func mayAdd(_ scopes: [String]) -> Bool {
    !addedScopes.contains(scopes) && extraPrompts < Self.maximumExtraPrompts
  }

  package mutating func recordPrompt(
    _ error: AuthenticationError? = nil,
    startedAt start: ContinuousClock.Instant = .now,
    endedAt end: ContinuousClock.Instant = .now,
    addingScopes: Bool = false
  ) {
    if addingScopes || isPause(at: start) { extraPrompts += 1 }
    (last, hasHelped) = ((error, end), false)
  }

  /// Records a new token, for which the user may have added scopes; after one without, the session may lack them again.
  package mutating func recordToken(adding scopes: [String]?) {
    if let scopes { addedScopes.insert(scopes) } else { addedScopes = [] }
  }

  package mutating func recordAcceptance() { hasHelped = true }

  private func isPause(at time: ContinuousClock.Instant) -> Bool {
    last.map { $0.end.duration(to: time) < pause } ?? false
  }
}
