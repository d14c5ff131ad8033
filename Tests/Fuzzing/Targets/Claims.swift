import MSAuth
import MSAuthCore
@testable import MSAuthOAuth

/// A claims request of an application or a resource.
@Sendable func fuzzClaims(_ input: Input) {
  let text = input.text
  let members = try? JSONValue.object(parsing: text.utf8)
  do {
    let merged = try ClaimsParameter.merging(text, capabilities: ["CP1"])
    let rule = "claims with capabilities are a JSON object"
    let request = require(merged.flatMap { try? JSONValue.object(parsing: $0.utf8) }, rule)
    require(request["access_token"]?["xms_cc"] == ["values": ["CP1"]], "the claims include the capabilities")
    let others = members?.filter { $0.key != "access_token" } ?? [:]
    require(others == request.filter { $0.key != "access_token" }, "other members are unchanged")
  } catch {
    requirePrintable(error.message, "a message")
  }
  guard var request = try? ClaimsRequest(json: text) else { return }
  require(text.utf8.count <= ClaimsParameter.lengthLimit, "claims are within their limit")
  require((try? ClaimsRequest(json: request.json)) == request, "a claims request round-trips")
  for target in ClaimsRequest.Target.allCases {
    let claims = request.claims(for: target)
    for claim in claims {
      request.request(claim, for: target)
      require(request.claims(for: target).contains(claim), "a requested claim is included")
      require(request.remove(named: claim.name, for: target), "a claim is removed by its name")
    }
    require(request.claims(for: target).isEmpty, "no claim is left")
  }
}
