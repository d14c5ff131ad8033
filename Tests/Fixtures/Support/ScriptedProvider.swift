/// A provider that discovers well and then answers as a test's script says.
package enum ScriptedProvider {
  /// Starts it.
  ///
  /// - Parameters:
  ///   - metadata: JSON members added to its metadata, each followed by a comma.
  ///   - headers: Header fields of its metadata.
  ///   - token: What its token endpoint answers.
  ///   - authorize: What its authorization endpoint answers.
  /// - Returns: The server; its `url` is the issuer.
  /// - Throws: ``TestFailure`` when no port is to be had.
  package static func start(
    metadata: String = "",
    headers: [String: String] = [:],
    token: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Response = { _ in .init(500) },
    authorize: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Response = { _ in .init(404) }
  ) throws -> ScriptedServer {
    try ScriptedServer { request, base in
      switch request.path {
      case "/.well-known/openid-configuration":
        .init(
          200,
          """
          {\(metadata) "issuer": "\(base)", "authorization_endpoint": "\(base)/authorize",
           "token_endpoint": "\(base)/token", "jwks_uri": "\(base)/keys",
           "response_types_supported": ["code"], "response_modes_supported": ["query", "form_post"],
           "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
           "code_challenge_methods_supported": ["S256"]}
          """,
          headers: headers.merging(["Content-Type": "application/json"]) { own, _ in own }
        )
      case "/authorize": authorize(request)
      case "/keys": .json(#"{"keys": []}"#)
      case "/token": token(request)
      default: .init(404)
      }
    }
  }
}
