import Core

/// What the userinfo endpoint says of a person (OpenID Connect Core §5.3).
package struct UserInfo: Sendable, Equatable {
  /// A person's claims take some hundred bytes, with a postal address and groups a few thousand.
  package static let bodyLimit = 128 * 1024

  /// The claims; those of other parties, aggregated or distributed (§5.6.2), stay unread within them.
  package let claims: IDTokenClaims

  /// Reads the answer of the userinfo endpoint.
  package init(
    parsing body: [UInt8],
    status: Int,
    mediaType: String?,
    about subject: String
  ) throws {
    let json = try EndpointResponse.object(body, status: status, success: [200], limit: Self.bodyLimit, nil)
    guard EndpointResponse.isJSON(mediaType) else {
      throw Failure.invalidResponse("its media type is not application/json")
    }
    // §5.3.2: "MUST be verified to exactly match […]; if they do not match, the UserInfo Response values MUST NOT be
    // used."
    guard let found = json["sub"]?.string, found.isIdentical(to: subject) else { throw Failure.userInfoSubject }
    self.claims = IDTokenClaims(json)
  }
}
