import Foundation
import MSAuth
import MSAuthCore
import MSAuthPreferences
import MSAuthUnix

// The tutorial's constants. msauth's settings override them: variables such as MSAUTH_CLIENT_ID and MSAUTH_AUTHORITY, the
// configuration file and its profiles.

/// The application (client) ID from the portal.
let kClientID = "Your_Application_Id_Here"
let kGraphEndpoint = "https://graph.microsoft.com/"
/// Personal accounts, and work or school accounts of any organization.
let kAuthority = "https://login.microsoftonline.com/common"
/// The registered redirect URI; `nil` for the authority's default, `http://localhost`.
let kRedirectUri: String? = nil
/// Permission to read the user's profile.
let kScopes: [String] = ["user.read"]

/// The constants, overridden by msauth's settings.
struct Registration: Sendable {
  var configuration: ClientConfiguration
  var graphEndpoint: String
  var scopes: [String]

  init(environment: [String: String]) async throws {
    self = try await BackgroundThread.run { _ in try Registration(reading: environment) }
  }

  private init(reading environment: [String: String]) throws {
    let settings = try Settings(needsClientID: false, environment: environment)
    configuration = settings.application
    if configuration.clientID.isEmpty { configuration.clientID = kClientID }
    if !settings.namesAuthority { configuration.authority = try Authority(kAuthority) }
    configuration.redirectURI = configuration.redirectURI ?? kRedirectUri
    guard !configuration.clientID.hasSuffix("_Here") else {
      let file = try ClientConfiguration.standardFile(environment: environment)
      let hint: Hint =
        "set MSAUTH_CLIENT_ID, write \"client_id\" into \(file), or change kClientID in Registration.swift"
      throw AuthenticationError(.invalidConfiguration, "there is no client ID", reason: "client_id_missing", hint: hint)
    }
    // Each national cloud has its own Graph.
    graphEndpoint =
      settings.graphEndpoint?.value ?? configuration.authority.graphEndpoint?.absoluteString ?? kGraphEndpoint
    scopes = settings.scopes ?? kScopes
  }
}
