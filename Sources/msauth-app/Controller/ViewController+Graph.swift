import MSAuthCore
import MSAuthTransport

extension ViewController {
  /// Gets the user's profile from Microsoft Graph; on Linux, `URLSession` doesn't limit a response's size.
  func getContentWithToken() {
    let endpoint = registration.graphEndpoint + (registration.graphEndpoint.hasSuffix("/") ? "" : "/") + "v1.0/me/"
    let headers = [(name: "Accept", value: "application/json")]
    let request = HTTPRequest(.get, endpoint, headers: headers, authorization: ("Bearer", accessToken))
    screen.activity = .init(text: "Calling Microsoft Graph…")
    Task {
      defer { screen.activity = nil }
      do throws(Failure) {
        let response = try await transport.send(request)
        updateLogging(text: Self.description(of: response))
      } catch {
        updateLogging(text: "Couldn't get graph result: \(error.message)")
      }
    }
  }

  private static func description(of response: HTTPResponse) -> String {
    guard let result = try? JSONValue(parsing: response.body) else {
      return "Couldn't deserialize result JSON (HTTP status \(response.status))"
    }
    let text = result.serializedString(.init(indentation: 2, sortsMembers: false))
    return response.status == 200 ? "Result from Graph: \(text)" : "Graph returned \(response.status): \(text)"
  }
}
