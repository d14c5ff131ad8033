import FoundationEssentials
import MSAuth

/// A request that a DPoP proof is for, such as `GET https://api.example/x`.
struct ProvenRequest: CheckedArgument {
  let method: String
  let url: URL

  init(argument: String) throws(AuthenticationError) {
    let words = argument.split(separator: " ")
    guard words.count == 2, let url = URL(string: String(words[1])) else {
      let what = "a method and a URL, such as GET https://api.example/x"
      throw .usage("\(argument.printable(limit: 80).quoted) isn't \(what)")
    }
    method = String(words[0])
    self.url = url
  }
}
