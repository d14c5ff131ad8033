package import MSAuth

extension AuthenticationError.Reason {
  package static let authorityContradiction = Self(rawValue: "authority_contradiction")
  package static let authorityTypeInvalid = Self(rawValue: "authority_type_invalid")
  package static let fileSettingUnused = Self(rawValue: "file_setting_unused")
  package static let configurationFile = Self(rawValue: "configuration_file")
  package static let profileMissing = Self(rawValue: "profile_missing")
  package static let storeInvalid = Self(rawValue: "store_invalid")
}
