import MSAuthCore

@testable import MSAuthLoopback

/// Requests to the listener: parsed whole and in pieces, then handled as redirects.
@Sendable func fuzzRequest(_ input: Input) {
  var input = input
  var limits = ListenerLimits()
  if input.choice(of: 2) == 0 {
    limits.maximumHeadBytes = 160
    limits.maximumHeaderFields = 4
    limits.maximumBodyBytes = 24
  }
  let step = 1 + Int(input.byte()) % 64
  let bytes = input.bytes

  let whole = ParseResult(bytes, limits, step: max(1, bytes.count))
  require(ParseResult(bytes, limits, step: step) == whole, "a request in pieces is the same")
  require(ParseResult(bytes, limits, step: 1) == whole, "a request is the same byte by byte")
  guard case .request(let parts) = whole else { return }
  check(parts.request, limits)
  check(parts.request, .get)
  check(parts.request, .post)
}

/// A parser's result.
private enum ParseResult: Equatable {
  case request(Parts)
  case rejection(RequestRejection)
  case incomplete

  init(_ bytes: [UInt8], _ limits: ListenerLimits, step: Int) {
    var reader = RequestReader(limits: limits)
    do {
      for start in stride(from: 0, to: bytes.count, by: step) {
        if let request = try reader.read(bytes[start..<min(start + step, bytes.count)]) {
          self = .request(Parts(request: request))
          return
        }
      }
      self = .incomplete
    } catch {
      self = .rejection(error)
    }
  }
}

private struct Parts: Equatable {
  let request: LoopbackRequest

  private var texts: [[UInt8]] {
    ([request.method, request.path, request.query ?? "", request.query == nil ? "" : "?", request.host]
      + request.headers.flatMap { [$0.name, $0.value] }).map { Array($0.utf8) } + [request.body]
  }

  static func == (left: Self, right: Self) -> Bool { left.texts == right.texts }
}

private func check(_ request: LoopbackRequest, _ limits: ListenerLimits) {
  require(!request.method.isEmpty && request.path.utf8.first == UInt8(ascii: "/"), "a request has a method and a path")
  for text in [request.method, request.path, request.query ?? ""] {
    require(text.utf8.allSatisfy(\.isASCIIVisible), "a request line has only visible characters")
  }
  require(request.body.count <= limits.maximumBodyBytes, "a body is within its limit")
  require(request.headers.count <= limits.maximumHeaderFields, "a header is within its limit")
  require(request.values(of: "host").count == 1, "a request has one Host")
  require(request.values(of: "transfer-encoding").isEmpty, "a body has a length")
  for (name, value) in request.headers {
    require(name.utf8.allSatisfy(\.isASCIIVisible) && !name.isEmpty, "a field has a name")
    require(value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }, "a field has no control characters")
  }
}

private func check(_ request: LoopbackRequest, _ method: RedirectEndpoint.Method) {
  let endpoint = RedirectEndpoint(path: "/", method: method)
  _ = endpoint.isProviderResponse(request)
  guard let parameters = try? endpoint.parameters(of: request) else { return }
  require(request.path == "/", "a redirect has the redirect URI's path")
  let isError = parameters.contains { $0.name.isIdentical(to: "error") }
  require(request.method == method.rawValue || isError, "a redirect has the right method")
  require(request.method == "POST" || request.body.isEmpty, "a GET has no body")
  require(["", "navigate"].contains(request.values(of: "sec-fetch-mode").joined()), "a redirect is a navigation")
  require(parameters.allSatisfy { !($0.name + $0.value).utf8.contains(0) }, "a parameter has no NUL")
}
