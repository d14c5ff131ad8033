import MSAuthCore

@testable import MSAuthOAuth

private let state = "kVnG7xQ2mLr8TzPd"
private let issuer = "https://id.example/Kiosk"
private let template = "https://id.example/{tenantid}/v2.0"

/// The parameters of a redirect, which any local program can send.
@Sendable func fuzzRedirect(_ input: Input) {
  var input = input
  let isTemplate = input.choice(of: 2) == 0
  let isRequired = input.choice(of: 2) == 0
  let isInstanceAware = input.choice(of: 2) == 0
  let parameters = FormEncoding.decode(input.bytes)
  let again = FormEncoding.decode(FormEncoding.encode(parameters))
  let isSame = again.elementsEqual(parameters) {
    $0.name.isIdentical(to: $1.name) && $0.value.isIdentical(to: $1.value)
  }
  require(isSame, "parameters round-trip")

  var expectation = AuthorizationResponse.Expectation(state: Secret(state))
  expectation.issuer = isTemplate ? .tenantTemplate(template) : .exact(issuer)
  expectation.requiresIss = isRequired
  expectation.isInstanceAware = isInstanceAware
  guard let response = try? AuthorizationResponse.validate(parameters, expecting: expectation) else { return }
  func values(_ name: String) -> [String] { parameters.filter { $0.name.isIdentical(to: name) }.map(\.value) }
  require(values("state").map { Array($0.utf8) } == [Array(state.utf8)], "an accepted redirect has the right state")
  let issuers = values("iss")
  let isOwn = issuers.isEmpty ? !isRequired : issuers.count == 1 && isIssuer(issuers[0], isTemplate)
  let isOtherCloud = isInstanceAware && issuers.count == 1 && !values("cloud_instance_host_name").isEmpty
  switch response {
  case .unusable: break
  case .otherIssuer: require(!isOwn, "the provider's own issuer is accepted")
  case .code(let code):
    require(isOwn || isOtherCloud, "a code comes from the provider")
    require(values("code").map { Secret($0) } == [code.code], "a response has one code")
    // RFC 6749 §3.1: a parameter without a value counts as omitted.
    require(values("error").allSatisfy(\.isEmpty), "a response with a code has no error")
    require(code.code.revealed.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a code is ASCII")
  case .error(let error):
    require(isOwn || isOtherCloud, "an error comes from the provider")
    check(error)
  }
}

/// An independent issuer check.
private func isIssuer(_ text: String, _ isTemplate: Bool) -> Bool {
  guard isTemplate else { return Array(text.utf8) == Array(issuer.utf8) }
  let bytes = Array(text.utf8)
  let (before, after) = (Array("https://id.example/".utf8), Array("/v2.0".utf8))
  guard bytes.count == before.count + 36 + after.count, bytes.starts(with: before),
    bytes.suffix(after.count).elementsEqual(after)
  else { return false }
  return bytes.dropFirst(before.count).prefix(36).enumerated().allSatisfy { index, byte in
    [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : byte.hexDigitValue != nil
  }
}
