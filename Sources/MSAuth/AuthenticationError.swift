public import MSAuthCore

extension AuthenticationError {
  /// The accounts that match, with `Code.ambiguousAccount`.
  public var candidates: [Account] {
    get { self[[Account].self] ?? [] }
    set { self[[Account].self] = newValue }
  }

  /// The valid result, with `Code.serverDeclinedScopes`.
  public var result: TokenResult? {
    get { self[TokenResult.self] }
    set { self[TokenResult.self] = newValue }
  }
}
