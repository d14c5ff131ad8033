import MSAuth

extension AuthenticationError.Reason {
  static let browserSignOutFailed = Self(rawValue: "browser_sign_out_failed")
  static let challengeUnknown = Self(rawValue: "challenge_unknown")
  static let checkFailed = Self(rawValue: "check_failed")
  static let configurationDiffers = Self(rawValue: "configuration_differs")
  static let commandNotFound = Self(rawValue: "command_not_found")
  static let gitConfiguration = Self(rawValue: "git_configuration")
  static let gitRequestInvalid = Self(rawValue: "git_request_invalid")
  static let graphEndpointMissing = Self(rawValue: "graph_endpoint_missing")
  static let noPerson = Self(rawValue: "no_person")
  static let optionInvalid = Self(rawValue: "option_invalid")
  static let proofNeeded = Self(rawValue: "proof_needed")
  static let relayFailed = Self(rawValue: "relay_failed")
  static let relayMissing = Self(rawValue: "relay_missing")
  static let revocationFailed = Self(rawValue: "revocation_failed")
  static let sessionDirectoryMissing = Self(rawValue: "session_directory_missing")
  static let sshFailed = Self(rawValue: "ssh_failed")
  static let sshMissing = Self(rawValue: "ssh_missing")
  static let usage = Self(rawValue: "usage")
}
