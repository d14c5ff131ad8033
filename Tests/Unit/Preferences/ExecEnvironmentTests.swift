import MSAuth
import TestSupport
import Testing

@testable import MSAuthPreferences

@Suite("settings of msauth exec --azure for the programs below it")
struct ExecEnvironmentTests {
  private static let file =
    #"{"client_id": "file", "profiles": {"other": {"client_id": "other", "tenant": "other.example"}}}"#
  private static let common = "https://login.microsoftonline.com/common"

  private let home: Home
  private let environment: [String: String]

  init() throws {
    home = try Home()
    environment = ["MSAUTH_CONFIG": try home.write(Self.file, to: "config.json"), "HOME": home.path("home")]
  }

  /// The environment below a command with these flags and environment.
  private func below(_ flags: [String: String], _ environment: [String: String]) throws -> [String: String] {
    let application = try Settings(Layer(flags: flags), environment: environment).application
    let account = Account(identifier: "ada-id", username: "ada@example.org", environment: "login.microsoftonline.com")
    var result = environment
    for change in ExecEnvironment.variables(flags, for: account, application) {
      let parts = change.split(separator: "=", maxSplits: 1).map(String.init)
      result[parts[0]] = parts.count == 2 ? parts[1] : nil
    }
    return result
  }

  @Test(
    "programs below find the command's client and authority",
    arguments: [
      (["tenant": "t.example"], ["MSAUTH_AUTHORITY": common]),
      (["authority": common], ["MSAUTH_TENANT": "t.example"]),
      (["authority": "https://id.example", "client_id": "flag"], ["MSAUTH_CLIENT_ID": "variable"]),
      (["authority_type": "aad"], ["MSAUTH_AUTHORITY": "https://private.example/t.example"]),
      (["profile": "other"], [:]), (["client_id": "flag"], ["MSAUTH_PROFILE": "other"]),
    ] as [([String: String], [String: String])]
  )
  func same(_ flags: [String: String], _ variables: [String: String]) throws {
    let environment = variables.merging(environment) { $1 }
    let outer = try Settings(Layer(flags: flags), environment: environment).application
    var inner = environment
    // The commands of commands too.
    for level in [flags, [:]] {
      inner = try below(level, inner)
      let settings = try Settings(environment: inner)
      #expect(settings.application.clientID == outer.clientID && settings.application.authority == outer.authority)
      #expect(settings.account?.value == "ada-id")
    }
  }

  @Test(
    "a profile replaces the outer command's client, but not the environment's",
    arguments: [[:], ["profile": "other"]]
  )
  func profile(_ nested: [String: String]) throws {
    let chosen = Layer(flags: ["profile": "other"])
    var inner = try below(["client_id": "outer", "authority": "https://id.example"], environment)
    if !nested.isEmpty { inner = try below(nested, inner) }
    let settings = try Settings(nested.isEmpty ? chosen : [:], environment: inner)
    #expect(settings.application.clientID == "other" && settings.application.authority.tenant == "other.example")
    #expect(settings.account?.value == (nested.isEmpty ? nil : "ada-id"))
    let variable = environment.merging(["MSAUTH_CLIENT_ID": "variable"]) { $1 }
    #expect(try Settings(chosen, environment: below([:], variable)).application.clientID == "variable")
  }
}
