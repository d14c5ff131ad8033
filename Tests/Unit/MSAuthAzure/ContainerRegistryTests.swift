import MSAuth
import MSAuthCore
import TestSupport
import Testing

@testable import MSAuthAzure

@Suite("container registries")
struct ContainerRegistryTests {
  @Test("a registry is a host; http is allowed only on this computer")
  func registry() throws {
    for (name, host) in [
      ("contoso.azurecr.io", "contoso.azurecr.io"), ("https://contoso.azurecr.io", "contoso.azurecr.io"),
      ("localhost:5000", "localhost:5000"),
    ] { #expect(try ContainerRegistry(name).host == host) }
    for (name, origin) in [
      ("contoso.azurecr.io", "https://contoso.azurecr.io"), ("localhost:5000", "http://localhost:5000"),
      ("127.0.0.1:5000", "http://127.0.0.1:5000"), ("[::1]:5000", "http://[::1]:5000"),
      ("https://localhost:5000", "https://localhost:5000"),
      ("localhost.evil.example", "https://localhost.evil.example"),
    ] {
      #expect(try ContainerRegistry(name).exchangeURL == origin + "/oauth2/exchange")
    }
    for name in [
      "contoso.azurecr.io", "https://Contoso.AzureCR.cn/", "contoso.azurecr.us", "127.0.0.1:5000", "[::1]:5000",
    ] {
      #expect(try ContainerRegistry(name).isTrusted, "\(name)")
    }
    for name in [
      "ghcr.io", "contoso.azurecr.co", "azurecr.io", "contosoazurecr.io", "contoso.azurecr.io.evil.example",
      "localhost.evil.example",
    ] {
      #expect(try !ContainerRegistry(name).isTrusted, "\(name)")
    }
    for name in ["", "http://contoso.azurecr.io", "contoso.azurecr.io/image", "a b", "contoso.azurecr.io?x"] {
      #expect(throws: Rejection.self) { try ContainerRegistry(name) }
    }
  }
}

@Suite("passwords of registries")
struct RegistryPasswordTests {
  @Test("any 2xx with a password is a success", arguments: [200, 201])
  func success(status: Int) async throws {
    #expect(try await password(.json(#"{"refresh_token": "p"}"#, status: status)) == "p")
  }

  @Test(
    "only a client error is about the account",
    arguments: [
      (401, .serverError, "registry_refused"), (429, .providerUnreachable, "http_429"),
      (408, .providerUnreachable, "http_408"),
      (503, .providerUnreachable, "http_503"), (200, .invalidResponse, "http_200"), (302, .invalidResponse, "http_302"),
    ] as [(Int, AuthenticationError.Code, AuthenticationError.Reason)]
  )
  func failure(status: Int, code: AuthenticationError.Code, reason: AuthenticationError.Reason) async {
    let error = await #expect(throws: AuthenticationError.self) { try await password(.json("{}", status: status)) }
    #expect(error?.code == code && error?.reason == reason)
  }

  private func password(_ response: ScriptedServer.Response) async throws -> String {
    let server = try ScriptedServer { _, _ in response }
    let configuration = ClientConfiguration(clientID: "c", environment: [:])
    return try await ContainerRegistry(server.url).password(for: "t", tenant: nil, configuration: configuration)
  }
}
