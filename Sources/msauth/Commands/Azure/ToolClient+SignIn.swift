import FoundationEssentials
import MSAuth
import MSAuthAzure
import MSAuthPreferences

// The commands of msauth to run instead of a tool's own.
extension ToolClient {
  /// `msauth login` or `logout` with the options of `msauth exec`; `authority` replaces its authority and tenant.
  static func msauth(_ name: String, authority: String? = nil) -> [String] {
    let environment = ProcessInfo.processInfo.environment
    var values: [String: String] = [:]
    // The user's own variables apply to the command anyway.
    for key in ExecEnvironment.settings(in: environment) where key != "account" {
      values[key] = environment[ConfigurationKey.variable(key)]
    }
    if let authority { (values["authority"], values["tenant"]) = (authority, nil) }
    return ["msauth", name] + Invocation.options(values.sorted { $0.key < $1.key })
  }

  /// `msauth login` for the tenant, scopes and claims that a tool's arguments name.
  static func login(_ arguments: ToolArguments?) -> [String] {
    let client = try? ToolClient()
    let authority = arguments?["tenant"].flatMap { try? client?.settings.application.authority.inTenant($0).url }
    let scopes = client.flatMap { try? arguments?.scopes(in: $0.cloud) } ?? []
    let claims = arguments?["claims"].map { Invocation.option("--claims", $0) } ?? []
    return msauth("login", authority: authority) + scopes.flatMap { Invocation.option("--scope", $0) } + claims
  }

  /// Names msauth's own command for `az login`, `az logout`, `azd auth login` and `azd auth logout`.
  static func rejectSignIn(_ arguments: ArraySlice<String>) throws(Rejection) {
    guard let name = arguments.first, ["login", "logout"].contains(name) else { return }
    let options = arguments.dropFirst().map { $0.replacing("--claims-challenge", with: "--claims") }
    let parsed = try? ToolArguments(options)
    throw Rejection("run \((name == "login" ? login(parsed) : msauth(name)).shellCommand) instead")
  }
}
