import MSAuth
import MSAuthPreferences

/// The settings in the file, for the profile if it exists.
struct WrittenSettings {
  let clientID: String?
  let authority: Authority?
  let authorityType: String?
  let redirectURI: String?
  /// The tenant or the issuer as the user would enter it.
  let provider: String

  init(for profile: String?, config: String?) {
    let settings = [profile, nil].firstNonNil { try? EffectiveSettings.written(for: $0, config: config) }
    func value(_ key: String) -> String? { try? settings?.setting(named: key).value?.string }
    clientID = value("client_id")
    let authority = settings?.authority
    self.authority = authority
    authorityType = value("authority_type")
    redirectURI = value("redirect_uri")
    let tenant = [value("tenant"), "common"].firstNonNil { name in
      name.flatMap { try? ClientRegistration(at: $0).configuration().authority == authority ? $0 : nil }
    }
    provider = authority.map { tenant ?? $0.url } ?? "common"
  }

  /// Another provider must not get the file's client ID.
  func clientID(at authority: Authority) -> String? {
    self.authority?.isOfSameProvider(as: authority) == true ? clientID : nil
  }
}
