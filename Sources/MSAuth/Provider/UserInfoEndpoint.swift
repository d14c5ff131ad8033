import OAuth
import Core
import Transport

/// Asks the provider about the person, where the ID token does not say what to call them.
///
/// In the code flow a provider may send `profile` and `email` there alone (OpenID Connect Core §5.4).
struct UserInfoEndpoint: Sendable {
  let dependencies: Dependencies
  let metadata: ProviderMetadata
  /// The key that the access token is bound to.
  var key: DPoPKey?

  /// The claims with those of the userinfo endpoint beside them, which never replace one of the ID token.
  func completing(_ claims: IDTokenClaims, with accessToken: Secret) async throws -> IDTokenClaims {
    guard claims.personName == nil, let endpoint = metadata.userinfoEndpoint, let subject = claims.subject else {
      return claims
    }
    // Only a name is missing: that no answer comes ends no sign-in, that a wrong one comes does.
    guard let response = try? await dependencies.ask(.get, endpoint, showing: accessToken, boundTo: key) else {
      return claims
    }
    do {
      let info = try UserInfo(
        parsing: response.body,
        status: response.status,
        mediaType: response.mediaType,
        about: subject
      )
      return IDTokenClaims(info.claims.all.merging(claims.all))
    } catch let error as Failure where error == .userInfoSubject {
      throw error
    } catch {
      return claims
    }
  }
}
