@testable import DemoProvider
import TestSupport
import Testing

@Suite("accounts of one tenant", .limitedConcurrency)
struct TenantTests {
  @Test("a tenant that is named by its domain is looked up, and has no accounts if that fails")
  func otherTenantByDomain() async throws {
    let fixture = try await DemoProviderFixture(signedIn: "ada")
    func there(_ domain: String) -> [String] { ["--authority", fixture.provider.entraAuthority(tenant: domain)] }
    let (own, other) = (there("contoso.onmicrosoft.com"), there("bletchley.onmicrosoft.com"))
    #expect(try await fixture.run(["accounts"] + own).stdout == "\(ada)\n")
    #expect(try await fixture.run(["accounts"] + other).stdout.isEmpty)
    let missing = try await fixture.run(["accounts"] + there("nosuch.onmicrosoft.com"))
    #expect(missing.stdout.isEmpty && missing.stderr.contains("the accounts of nosuch.onmicrosoft.com are unknown"))

    let typed = ["accounts", "--complete", "fish", "--", "switch"] + other
    try FileManager.default.removeItem(atPath: fixture.home.path("cache/msauth"))
    await fixture.provider.forgetRecord()
    _ = try await fixture.runner.run(typed)
    #expect(try await fixture.run(["status"] + own).stdout == "\(ada)\n")
    #expect(await fixture.provider.record.isEmpty, "completion and status make no request")
    await fixture.provider.stop()
    try await fixture.run(["accounts"] + own)
      .expect(0, "couldn't be looked up: couldn't connect to 127.0.0.1", stdout: "")
    let switched = try await fixture.run(["switch"] + own)
    #expect(switched.stderr.ranges(of: "couldn't be looked up").count == 1, "\(switched)")
    try await fixture.run(["logout"] + own).expect(5, "hint: name the account")
    try await fixture.run(["status"] + own).expect(0)
    let named = try await fixture.run(["logout", ada] + own)
    #expect(named.stderr.contains("removed the tokens of \(ada)"), "\(named)")
    try await fixture.run(["status"] + own).expect(2)
  }

  @Test("a sign-out names the other profiles that it concerns")
  func sharedProfiles() async throws {
    let fixture = try await DemoProviderFixture()
    let profiles = [("contoso", Tenant.contoso.id), ("other", Tenant.bletchley.id)].map { name, tenant in
      #""\#(name)": {"authority": "\#(fixture.provider.entraAuthority(tenant: tenant))", "authority_type": "aad"}"#
    }
    let unreachable = #""no": {"authority": "http://127.0.0.1:9/no.example", "authority_type": "aad"}"#
    let configuration = """
      {"client_id": "\(fixture.provider.clientID)", "authority": "\(fixture.provider.entraAuthority())",
       "authority_type": "aad", "store": "file", "profiles": {\((profiles + [unreachable]).joined(separator: ", "))}}
      """
    try fixture.home.write(configuration, to: "config/msauth/config.json")
    try await fixture.signIn("ada")
    #expect(try await fixture.runner.run("logout", "--profile", "other").stderr == "msauth: not signed in\n")
    let logout = try await fixture.runner.run("logout", "--profile", "contoso")
    let notice = "\(ada) is also signed out of the default profile, because the client ID is the same"
    #expect(logout.code == 0 && logout.stderr.contains(notice) && !logout.stderr.contains("looked up"), "\(logout)")
    #expect(try await fixture.runner.run("accounts").stdout.isEmpty)
  }
}
