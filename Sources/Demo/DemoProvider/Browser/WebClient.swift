import Foundation
import MSAuthCore
import MSAuthTransport

package struct WebResponse: Sendable {
  package var status: Int
  /// With lowercase names, in the order received.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package var text: String { String(decoding: body, as: UTF8.self) }

  /// Expects a lowercase name.
  package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// Sends requests to loopback addresses without following redirects.
package enum WebClient {
  /// The provider's largest response is 8 MiB; a response may wait for a whole sign-in on a busy machine.
  private static let transport = CurlTransport(
    environment: [:],
    limits: TransferLimits(connect: .seconds(60), total: .seconds(300), bodyBytes: 16 << 20)
  )

  package static func send(
    _ method: String,
    _ address: String,
    headers: [(name: String, value: String)] = [],
    form: String? = nil
  ) async throws(ScriptedBrowserError) -> WebResponse {
    _ = try host(of: address)
    var fields = headers + [(name: "Connection", value: "close")]
    if form != nil { fields.append((name: "Content-Type", value: "application/x-www-form-urlencoded")) }
    let request = HTTPRequest(
      method == "POST" ? .post : .get,
      String(address.prefix { $0 != "#" }),
      headers: fields,
      body: form.map { Secret($0) }
    )
    do {
      let response = try await transport.send(request)
      let headers = response.headers.map { (name: $0.name.lowercased(), value: $0.value) }
      return WebResponse(status: response.status, headers: headers, body: response.body)
    } catch {
      throw .noResponse(error.message)
    }
  }

  /// The host of a loopback address.
  static func host(of address: String) throws(ScriptedBrowserError) -> String {
    guard let parts = URLComponents(string: address), parts.scheme == "http", let host = parts.host,
      ["127.0.0.1", "localhost", "[::1]", "::1"].contains(host)
    else { throw .foreignAddress(address) }
    return host
  }
}
