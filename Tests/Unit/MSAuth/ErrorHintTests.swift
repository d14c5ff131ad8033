@testable import MSAuthTransport
import TestSupport
import Testing

@testable import MSAuth

@Suite("error hints")
struct ErrorHintTests {
  @Test("an unknown account's hint lists a few accounts, the most similar first")
  func notSignedIn() {
    func error(_ names: [String], _ name: String = "grcae@id.example") -> AuthenticationError {
      let known = names.map { Account(identifier: $0, username: $0, environment: "id.example") }
      return AuthenticationError(notSignedIn: name, known: known)
    }
    let several = ["ada@a.example", "alan@a.example", "grace@id.example"]
    let names = "grace@id.example, ada@a.example, alan@a.example"
    #expect(error(several).hint?.description == "sign in as grcae@id.example, or name one that is signed in: \(names)")
    let many = error((1000..<4000).map { "user\($0)@tenant.example" } + ["grace@id.example"])
    let listed = "grace@id.example, user1000@tenant.example, user1001@tenant.example, user1002@tenant.example, "
    #expect(many.description.contains(listed))
    #expect(many.description.hasSuffix("user1003@tenant.example and 2996 more)"))
    #expect(error([]).hint == .signIn)
    #expect(error(several, "Grace").hint == "did you mean grace@id.example?")
    #expect(error(["ada@a.example", "ada@b.example"], "ada").description.contains("sign in as ada"))
  }

  @Test("a TLS error's hint comes from the transport, or is to contact the provider")
  func certificate() {
    for hint in [Hint.checkClock, nil] {
      let error = AuthenticationError(.tlsUntrusted, host: "id.example", "no", hint: hint)
      #expect(error.reason == "tls_untrusted" && error.hint == hint ?? .reportToProvider)
    }
  }
}
