import MSAuthCore

@testable import MSAuthOAuth

/// `WWW-Authenticate` and other header fields, separated by NULs.
@Sendable func fuzzChallenge(_ input: Input) {
  let fields = input.rest.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  let challenges = AuthenticationChallenge.all(in: fields)
  let size = fields.reduce(0) { $0 + $1.utf8.count }
  require(challenges.count <= size, "a field has no more challenges than bytes")
  for challenge in challenges {
    require(!challenge.scheme.isEmpty && challenge.scheme.utf8.allSatisfy(\.isASCIIVisible), "a challenge has a scheme")
    let parameters = challenge.parameters.filter { !$0.value.unicodeScalars.contains("\u{FFFD}") }.map { name, value in
      "\(name)=\"\(escaped(value))\""
    }
    let again = AuthenticationChallenge.all(in: "\(challenge.scheme) \(parameters.joined(separator: ", "))")
    require(again.count == 1 && again[0].scheme == challenge.scheme, "a challenge round-trips")
    require(again[0].parameters.count == parameters.count, "its parameters round-trip")
  }
  if let challenge = ResourceRequirements(wwwAuthenticate: fields) {
    if let claims = challenge.claims {
      require((try? JSONValue.object(parsing: claims.utf8)) != nil, "claims are a JSON object")
    }
    require(challenge.acrValues?.utf8.allSatisfy { (0x20...0x7E).contains($0) } ?? true, "contexts are printable ASCII")
    require(
      challenge.maxAge.map { (0...Lifetime.limit).contains($0.components.seconds) } ?? true,
      "a maximum age is within its limits"
    )
    require(challenge.scopes.count <= Scopes.countLimit, "scopes have a limit")
  }
  for field in fields {
    _ = DPoPNonce.isRequired(status: 401, body: Array(field.utf8), challenges: [field])
    if let nonce = DPoPNonce.read(field) { require(nonce.utf8.allSatisfy(\.isASCIIVisible), "a nonce is visible") }
    let wait = Lifetime.retryAfter(field, date: fields.first, now: 1_800_000_000)
    require(wait.map { (0...Lifetime.retryAfterLimit).contains($0) } ?? true, "a delay is within its limits")
    require(unixTime(ofHTTPDate: field).map { $0 >= 0 } ?? true, "a date isn't before 1970")
  }
}

/// By bytes: a quotation mark with a combining character is a different `Character`.
private func escaped(_ value: String) -> String {
  String(decoding: value.utf8.flatMap { "\\\"".utf8.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }, as: UTF8.self)
}
