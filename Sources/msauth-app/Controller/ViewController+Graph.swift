import Core
import Transport

extension ViewController {
  func getGraphEndpoint() -> String {
    let endpoint = registration.graphEndpoint
    return endpoint.hasSuffix("/") ? endpoint + "v1.0/me/" : endpoint + "/v1.0/me/"
  }

  /// Asks Microsoft Graph who the person is.
  ///
  /// Not with `URLSession`: on Linux it waits for ever at a 401 whose challenge it does not know, and its answers have
  /// no bound.
  func getContentWithToken() {
    let request = HTTPRequest(
      .get,
      getGraphEndpoint(),
      headers: [("Accept", "application/json")],
      bearer: accessToken
    )
    screen.activity = .init(text: "Calling Microsoft Graph…")
    Task {
      defer { screen.activity = nil }
      do throws(TransportError) {
        let response = try await transport.send(request)
        updateLogging(text: Self.words(of: response))
      } catch {
        updateLogging(text: "Couldn't get graph result: \(error.message)")
      }
    }
  }

  private static func words(of response: HTTPResponse) -> String {
    guard let result = try? JSON(parsing: response.body) else {
      return "Couldn't deserialize result JSON (HTTP status \(response.status))"
    }
    let text = result.laidOut()
    return response.status == 200 ? "Result from Graph: \(text)" : "Graph answered \(response.status): \(text)"
  }
}
