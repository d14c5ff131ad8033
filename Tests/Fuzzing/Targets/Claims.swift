import MSAuth
import MSAuthCore
import MSAuthOAuth

/// A claims request of an application or a resource.
@Sendable func fuzzClaims(_ input: Input) {
  let text = input.text
  let members = try? JSONValue.object(parsing: text.utf8)
  do {
    let merged = try ClaimsParameter.merging(text, capabilities: ["CP1"])
    guard let merged, let request = try? JSONValue.object(parsing: merged.utf8) else {
      fatalError("broken promise: claims with capabilities are a JSON object")
    }
    require(request["access_token"]?["xms_cc"] == ["values": ["CP1"]], "the capabilities are in it")
    let others = members?.filter { $0.key != "access_token" } ?? [:]
    require(others == request.filter { $0.key != "access_token" }, "nothing else is changed")
  } catch {
    requirePrintable(error.message, "a message")
  }
  guard var request = try? ClaimsRequest(json: text) else { return }
  require(text.utf8.count <= ClaimsParameter.lengthLimit, "claims have a limit")
  require((try? ClaimsRequest(json: request.json)) == request, "a request that is written is the same")
  for target in ClaimsRequest.Target.allCases {
    let claims = request.claims(for: target)
    for claim in claims {
      request.request(claim, for: target)
      require(request.claims(for: target).contains(claim), "a claim that is requested is there")
      require(request.remove(named: claim.name, for: target), "a claim is taken back by its name")
    }
    require(request.claims(for: target).isEmpty, "no claim is left")
  }
}
