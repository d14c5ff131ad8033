import OAuth

/// Who asked whom, for the words of an error that the answer brings.
struct RequestOrigin: Sendable {
  /// Who was asked.
  let authority: Authority
  /// The application that asked.
  let clientID: String
  /// The id that a request to Microsoft carries (`client-request-id`).
  let correlationID: String

  /// The same where it was sent: to anybody else an id of ours means nothing.
  var sentCorrelationID: String? { authority.isMicrosoft ? correlationID : nil }
}

extension Context {
  /// A request of this application.
  func origin(at authority: Authority, correlationID: String) -> RequestOrigin {
    RequestOrigin(authority: authority, clientID: configuration.clientID, correlationID: correlationID)
  }
}
