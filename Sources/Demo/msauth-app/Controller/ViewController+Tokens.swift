import MSAL
import MSAuthCore
import MSAuthTransport

extension ViewController {
  /// The button “Call Microsoft Graph API”.
  func callGraphAPI() {
    guard screen.activity == nil else { return }
    loadCurrentAccount { account in
      guard let currentAccount = account else {
        return self.acquireTokenInteractively()
      }
      self.acquireTokenSilently(currentAccount)
    }
  }

  func acquireTokenInteractively() {
    guard let applicationContext, let webViewParameters, screen.activity == nil else { return }

    let parameters = MSALInteractiveTokenParameters(scopes: registration.scopes, webviewParameters: webViewParameters)
    parameters.promptType = .selectAccount
    parameters.completionBlockQueue = DispatchQueue.main

    screen.activity = .init(text: "Sign in in the tab that just opened.", canBeCancelled: true)
    applicationContext.acquireToken(with: parameters) { result, error in
      MainActor.assumeIsolated {
        self.screen.activity = nil
        if let error {
          return self.updateLogging(text: "Could not acquire token: \(description(of: error))")
        }
        guard let result else {
          return self.updateLogging(text: "Could not acquire token: No result returned")
        }
        self.accessToken = Secret(result.accessToken)
        self.updateLogging(text: "Access token is \(self.accessToken): it stays with the app and isn't shown.")
        self.updateCurrentAccount(account: result.account)
        self.getContentWithToken()
      }
    }
  }

  func acquireTokenSilently(_ account: MSALAccount) {
    guard let applicationContext, screen.activity == nil else { return }

    let parameters = MSALSilentTokenParameters(scopes: registration.scopes, account: account)
    parameters.completionBlockQueue = DispatchQueue.main

    screen.activity = .init(text: "Getting a token…")
    applicationContext.acquireTokenSilent(with: parameters) { result, error in
      MainActor.assumeIsolated {
        self.screen.activity = nil
        if let error {
          let nsError = error as NSError
          // The session was revoked or has expired, or the provider requires a new sign-in.
          if nsError.domain == MSALErrorDomain, nsError.code == MSALError.interactionRequired.rawValue {
            return self.acquireTokenInteractively()
          }
          return self.updateLogging(text: "Could not acquire token silently: \(description(of: error))")
        }
        guard let result else {
          return self.updateLogging(text: "Could not acquire token: No result returned")
        }
        self.accessToken = Secret(result.accessToken)
        self.updateLogging(
          text: "Refreshed access token is \(self.accessToken): it stays with the app and isn't shown."
        )
        self.screen.canSignOut = true
        self.getContentWithToken()
      }
    }
  }

  /// The button “Cancel”.
  func cancelSignIn() {
    MSALPublicClientApplication.cancelCurrentWebAuthSession()
  }
}

extension ViewController {
  /// Gets the user's profile from Microsoft Graph; on Linux, `URLSession` doesn't limit a response's size.
  func getContentWithToken() {
    let endpoint = registration.graphEndpoint + (registration.graphEndpoint.hasSuffix("/") ? "" : "/") + "v1.0/me/"
    let headers = [(name: "Accept", value: "application/json")]
    let request = HTTPRequest(.get, endpoint, headers: headers, authorization: ("Bearer", accessToken))
    screen.activity = .init(text: "Calling Microsoft Graph…")
    Task {
      defer { screen.activity = nil }
      do throws(AuthenticationError) {
        let response = try await transport.send(request)
        updateLogging(text: Self.graphResult(response))
      } catch {
        updateLogging(text: "Couldn't get graph result: \(error.message)")
      }
    }
  }

  private static func graphResult(_ response: HTTPResponse) -> String {
    guard let result = try? JSONValue(parsing: response.body) else {
      return "Couldn't deserialize result JSON (HTTP status \(response.status))"
    }
    let text = result.serializedString(.init(indentation: 2, sortsMembers: false))
    return response.status == 200 ? "Result from Graph: \(text)" : "Graph returned \(response.status): \(text)"
  }
}
