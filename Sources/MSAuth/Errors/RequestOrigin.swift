import OAuth

/// Who asked whom, for the words of an error that the answer brings.
struct RequestOrigin: Sendable {
  /// Who was asked.
  let authority: OAuth.Authority
  /// The application that asked.
  let clientID: String
  /// The id that the request carried (`client-request-id`).
  let correlationID: String
}
