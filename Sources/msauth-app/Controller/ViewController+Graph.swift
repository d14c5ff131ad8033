import Core
import Transport

extension ViewController {
  func getGraphEndpoint() -> String {
    let endpoint = registration.graphEndpoint
    return endpoint.hasSuffix("/") ? endpoint + "v1.0/me/" : endpoint + "/v1.0/me/"
  }

  /// Gets the person's profile from Microsoft Graph.
  ///
  /// Not with `URLSession`: on Linux its responses have no size limit.
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
        updateLogging(text: Self.description(of: response))
      } catch {
        updateLogging(text: "Couldn't get graph result: \(error.message)")
      }
    }
  }

  private static func description(of response: HTTPResponse) -> String {
    guard let result = try? JSON(parsing: response.body) else {
      return "Couldn't deserialize result JSON (HTTP status \(response.status))"
    }
    let text = result.indented()
    return response.status == 200 ? "Result from Graph: \(text)" : "Graph answered \(response.status): \(text)"
  }
}

extension JSON {
  /// The value over several lines, for people.
  ///
  /// - Parameter indent: The indentation of every line but the first.
  /// - Returns: The text, with sorted keys.
  func indented(indent: String = "") -> String {
    let deeper = indent + "  "
    switch self {
    case .object(let members) where !members.isEmpty:
      let lines = members.sorted { $0.key < $1.key }.map { key, value in
        "\(deeper)\(JSON.string(key).compact): \(value.indented(indent: deeper))"
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
    case .array(let values) where !values.isEmpty:
      let lines = values.map { deeper + $0.indented(indent: deeper) }
      return "[\n" + lines.joined(separator: ",\n") + "\n\(indent)]"
    default: return compact
    }
  }

  private var compact: String { String(decoding: serialized(), as: UTF8.self) }
}
