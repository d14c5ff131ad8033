import Core
import Foundation
import MSAuth
import Preferences
import Unix

/// The application's registration: the constants, overridden by the person's configuration.
struct Registration: Sendable {
  var configuration: ClientConfiguration
  var graphEndpoint: String
  var scopes: [String]

  /// Merges the values.
  ///
  /// - Parameter environment: The process's environment.
  /// - Throws: ``AuthenticationError`` that names the setting and its source.
  init(environment: [String: String]) async throws {
    self = try await BackgroundThread.run { _ in try Registration(reading: environment) }
  }

  private init(reading environment: [String: String]) throws {
    var defaults = Layer()
    defaults.clientID = Sourced(kClientID)
    defaults.authorities = Sourced(FileAuthorities(FileAuthority(url: kAuthority)))
    defaults.redirectURI = kRedirectUri.map { Sourced($0) }
    defaults.scopes = Sourced(kScopes)
    let settings = try Settings(defaults: defaults, environment: environment)
    guard settings.application.clientID != "Your_Application_Id_Here" else {
      throw AuthenticationError(
        .invalidConfiguration,
        "there is no client ID",
        reason: .clientIDMissing,
        remedy: .advice(
          "set MSAUTH_CLIENT_ID, write \"client_id\" into "
            + (try ClientConfiguration.standardFile(environment: environment))
            + ", or change kClientID in Constants.swift"
        )
      )
    }
    configuration = settings.application
    // The national clouds have a Graph of their own.
    graphEndpoint =
      settings.graphEndpoint?.value ?? configuration.authority.graphEndpoint?.absoluteString ?? kGraphEndpoint
    scopes = settings.scopes ?? kScopes
  }
}
