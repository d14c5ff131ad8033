public import MSAuthCore
public import MSAuthOAuth

extension AuthenticationError {
  private struct Details {
    var provider: ProviderError?
    var candidates: [Account] = []
    var result: TokenResult?
  }

  private var details: Details {
    get { attachment as? Details ?? Details() }
    set { attachment = newValue }
  }

  /// The provider's error.
  public var provider: ProviderError? {
    get { details.provider }
    set { details.provider = newValue }
  }

  /// The accounts that match, with `Code.ambiguousAccount`.
  public var candidates: [Account] {
    get { details.candidates }
    set { details.candidates = newValue }
  }

  /// The valid result, with `Code.serverDeclinedScopes`.
  public var result: TokenResult? {
    get { details.result }
    set { details.result = newValue }
  }
}
