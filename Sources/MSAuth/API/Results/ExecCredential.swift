import Core
import FoundationEssentials

/// A version of what a credential plugin prints for `kubectl` and other clients of Kubernetes.
///
/// The API is `client.authentication.k8s.io`; ``TokenResult/execCredential(_:usingIDToken:)`` makes the object.
public enum ExecCredentialVersion: String, Sendable, CaseIterable {
  /// The version since Kubernetes 1.22.
  case v1 = "client.authentication.k8s.io/v1"
  /// The version before.
  case v1beta1 = "client.authentication.k8s.io/v1beta1"

  /// The version that the client asks for, in `KUBERNETES_EXEC_INFO`.
  ///
  /// - Parameter environment: The process's environment; without the variable it is ``v1``.
  /// - Throws: ``AuthenticationError`` with `AuthenticationError.Code.invalidConfiguration`: another version is asked
  ///   for, or the variable has no ExecCredential.
  public init(environment: [String: String]) throws(AuthenticationError) {
    let variable = "KUBERNETES_EXEC_INFO"
    guard let string = environment[variable], !string.isEmpty else {
      self = .v1
      return
    }
    guard let info = try? JSON(parsing: string.utf8), info["kind"]?.string == "ExecCredential",
      let name = info["apiVersion"]?.string
    else {
      throw AuthenticationError(
        .invalidConfiguration,
        "\(variable) has no ExecCredential",
        reason: "exec_credential_unknown",
        hint: "kubectl sets it; unset it to try the command by hand"
      )
    }
    guard let version = Self(rawValue: name) else {
      throw AuthenticationError(
        .invalidConfiguration,
        "the kubeconfig asks for \(name.printable(limit: 100)), which is no version that is known here",
        reason: "exec_credential_unknown",
        hint: "write apiVersion: \(Self.v1.rawValue) into the user's exec section of the kubeconfig"
      )
    }
    self = version
  }
}

extension TokenResult {
  /// The object by which a credential plugin hands the token to `kubectl` and other clients of Kubernetes.
  ///
  /// The client keeps the token in memory until it expires, or the cluster refuses it.
  ///
  /// - Parameters:
  ///   - version: The version that the client asks for.
  ///   - usingIDToken: Whether the cluster takes ID tokens, as most outside Azure do; request the token with
  ///     ``TokenParameters/requiresIDToken`` then.
  /// - Throws: ``AuthenticationError``: the token is bound to a key, or there is no ID token.
  /// - Returns: JSON on one line.
  public func execCredential(
    _ version: ExecCredentialVersion = .v1,
    usingIDToken: Bool = false
  ) throws(AuthenticationError) -> String {
    let token = usingIDToken ? try validatedIDToken() : try bearerToken()
    let expiry = (usingIDToken ? idTokenExpiresOn : nil) ?? expiresOn
    let object: JSON = [
      "apiVersion": .string(version.rawValue),
      "kind": "ExecCredential",
      "status": ["token": .string(token), "expirationTimestamp": .string(expiry.formatted(.iso8601))],
    ]
    return object.serializedString()
  }

  /// The ID token, for a service that takes it.
  package func validatedIDToken() throws(AuthenticationError) -> String {
    if let idToken { return idToken }
    throw AuthenticationError(
      .interactionRequired,
      "there is no ID token of \(account.username.printable())",
      reason: "id_token_missing",
      hint: "\(signIn: ["openid"])"
    )
  }
}
