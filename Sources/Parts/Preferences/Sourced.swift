package import MSAuthCore

/// A value and where it was written.
package struct Sourced<Value: Sendable>: Sendable {
  package var value: Value
  package let source: Source

  package init(_ value: Value, _ source: Source = .program) { (self.value, self.source) = (value, source) }

  func map<Part>(_ part: (Value) throws -> Part?) rethrows -> Sourced<Part>? {
    try part(value).map { Sourced<Part>($0, source) }
  }
}

extension Sourced<String> {
  package func error(_ what: String, reason: AuthenticationError.Reason, hint: Hint? = nil) -> AuthenticationError {
    source.error(what, value: value, reason: reason, hint: hint)
  }

  /// The value as one of several words, or the error that lists them if there is none.
  package func choice<Choice: CaseIterable & RawRepresentable<String>>(
    _ choice: Choice?,
    reason: AuthenticationError.Reason
  ) throws(AuthenticationError) -> Choice {
    if let choice { return choice }
    throw error("isn't valid", reason: reason, hint: .choose(from: Choice.self))
  }

  /// Checks that the value is the URL of an API that may get a token.
  package func checkedEndpoint() throws(AuthenticationError) -> Sourced<String> {
    do { _ = try WebURL(value, .endpoint) } catch {
      throw self.error(error.reason, reason: "url_refused", hint: WebURL.hint(for: value))
    }
    return self
  }

  /// Uses the value, or throws the error that names the setting.
  func use<Result>(_ reason: AuthenticationError.Reason, _ body: (String) throws -> Result) throws -> Result {
    do {
      return try body(value)
    } catch let error as AuthenticationError {
      throw self.error("can't be used: \(error.message)", reason: error.reason ?? reason, hint: error.specificHint)
    }
  }
}

extension Hint {
  package static func choose<Choice: CaseIterable & RawRepresentable<String>>(from: Choice.Type) -> Hint {
    "choose one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))"
  }
}
