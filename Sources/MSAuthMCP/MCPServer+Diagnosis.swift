package import MSAuth

extension MCPServer {
  /// Prepares a diagnosis, which writes nothing and never prompts.
  package init(
    diagnosing url: String,
    settings: Settings,
    configuration: ClientConfiguration
  ) async throws(AuthenticationError) {
    let dependencies = try await Dependencies.system(for: configuration).readOnly
    try self.init(url, settings: settings, context: Context(configuration: configuration, dependencies: dependencies))
  }

  /// Reports the steps of a sign-in, without registering or signing in.
  package func diagnose(_ report: (CheckResult) -> Void) async {
    do {
      let plan = try await plan(nil, in: try await context.store.load(), report)
      let page = plan.discovery.metadata.authorizationEndpoint
      report(CheckResult("sign_in", .ok, "would open \(page.printable(limit: 200))"))
    } catch {
      report(CheckResult("sign_in", error))
    }
  }
}
