import ArgumentParser
import FoundationEssentials

/// A request that a DPoP proof is for, such as `GET https://api.example/x`.
struct ProvenRequest: ExpressibleByArgument {
  let method: String
  let url: URL

  init?(argument: String) {
    let words = argument.split(separator: " ")
    guard words.count == 2, let url = URL(string: String(words[1])) else { return nil }
    method = String(words[0])
    self.url = url
  }
}
