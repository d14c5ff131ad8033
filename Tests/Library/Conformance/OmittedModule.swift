/// A module of the suite that does not apply, and why.
struct OmittedModule: Sendable {
  var names: [String]
  var why: String

  static let all: [OmittedModule] = [
    OmittedModule(
      names: ["oidcc-client-test-client-secret-basic"],
      why: "msauth is a public client: it has no secret to authenticate with (RFC 8252 §8.5)"
    ),
    OmittedModule(
      names: ["oidcc-client-test-userinfo-bearer-body"],
      why: "the suite asks for one of two ways; the token goes in the header (RFC 6750 §2.1)"
    ),
    OmittedModule(
      names: [
        "oidcc-client-test-missing-chash", "oidcc-client-test-invalid-chash", "oidcc-client-test-missing-athash",
      ],
      why: "hybrid and implicit flow; msauth asks for `code` alone (RFC 9700 §2.1.2), whose ID token needs no hash"
    ),
    OmittedModule(
      names: [
        "oidcc-client-test-userinfo-signed", "oidcc-client-test-dynamic-registration",
        "oidcc-client-test-request-uri-signed-rs256", "oidcc-client-test-request-uri-signed-none",
      ],
      why: "needs a client that registers itself at run time; msauth's registration is made by a person"
    ),
    OmittedModule(
      names: ["oidcc-client-test-distributed-claims"],
      why: "claims that lie elsewhere are not fetched: msauth needs a name for the account and no more"
    ),
    OmittedModule(
      names: ["oidcc-client-test-mtls-endpoint-aliases"],
      why: "client certificates are for confidential clients (RFC 8705)"
    ),
    OmittedModule(
      names: ["oidcc-client-test-discovery-webfinger-acct", "oidcc-client-test-discovery-webfinger-url"],
      why: "the authority is configured, never derived from what a person types"
    ),
    OmittedModule(
      names: ["oidcc-client-test-3rd-party-init-login"],
      why: "a program on a desktop has no address at which a third party could begin a sign-in"
    ),
    OmittedModule(
      names: ["oidcc-client-test-session-management"],
      why: "polling an iframe needs a web page that stays open"
    ),
    OmittedModule(
      names: [
        "oidcc-client-test-rp-backchannel-rpinitlogout", "oidcc-client-test-rp-backchannel-rpinitlogout-alg-none",
        "oidcc-client-test-rp-backchannel-rpinitlogout-wrong-alg",
        "oidcc-client-test-rp-backchannel-rpinitlogout-no-event",
        "oidcc-client-test-rp-backchannel-rpinitlogout-wrong-event",
        "oidcc-client-test-rp-backchannel-rpinitlogout-with-nonce",
        "oidcc-client-test-rp-backchannel-rpinitlogout-wrong-aud",
        "oidcc-client-test-rp-backchannel-rpinitlogout-wrong-iss",
        "oidcc-client-test-rp-frontchannel-rpinitlogout", "oidcc-client-test-rp-frontchannel-opinitlogout",
      ],
      why: "front- and back-channel logout need a server that the provider can reach at any time"
    ),
  ]
}
