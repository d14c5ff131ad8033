import MSAuth

extension AuthenticationError.Reason {
  static let challengeUnknown = Self(rawValue: "challenge_unknown")
  static let graphEndpointMissing = Self(rawValue: "graph_endpoint_missing")
  static let optionInvalid = Self(rawValue: "option_invalid")
  static let proofNeeded = Self(rawValue: "proof_needed")
  static let tokenNotPrintable = Self(rawValue: "token_not_printable")
}
