import MSAuthCore

@testable import MSAuth
@testable import MSAuthMCP
@testable import MSAuthOAuth

/// An MCP server's metadata, streams and messages.
@Sendable func fuzzMCP(_ input: Input) {
  var input = input
  switch input.byte() {
  case UInt8(ascii: "m"): checkResourceMetadata(input.bytes)
  case UInt8(ascii: "s"): checkStream(input.bytes)
  default: checkMessage(input.bytes)
  }
}

private func checkResourceMetadata(_ bytes: [UInt8]) {
  guard let server = try? WebURL("https://host.example/a/mcp", .endpoint),
    let metadata = try? ProtectedResourceMetadata(parsing: bytes, from: "https://host.example/m", of: server)
  else { return }
  let resource = try? WebURL(metadata.resource, .endpoint)
  require(resource?.origin == server.origin, "a resource is on its server's origin")
  guard let scopes = try? MicrosoftResourceScopes(metadata.scopesSupported, of: metadata.resource) else { return }
  for scope in scopes.names {
    let isOwn = scope.hasPrefix(metadata.resource)
    let isConfirmed = scopes.identifiers.contains { scope.hasPrefix($0 + "/") }
    require(isOwn || isConfirmed, "a scope is the resource's or confirmed")
  }
}

private func checkStream(_ bytes: [UInt8]) {
  func messages(inPiecesOf size: Int) -> [[UInt8]]? {
    var stream = EventStream(maximumSize: 4096)
    var messages: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let more = rest.prefix(size).withUnsafeBytes({ stream.append($0) }) else { return nil }
      messages += more
      rest = rest.dropFirst(size)
    }
    return messages
  }
  require(messages(inPiecesOf: 1) == messages(inPiecesOf: bytes.count + 1), "pieces don't matter")
}

private func checkMessage(_ bytes: [UInt8]) {
  guard let message = MCPMessage(bytes) else { return }
  require(!message.bytes.contains(UInt8(ascii: "\n")), "a message is one line")
  require(MCPMessage(message.bytes)?.members == message.members, "the line has the same meaning")
  var headers = MCPHeaders()
  headers.readAnnotations(in: message)
  for (name, value) in headers.fields(for: message) {
    require(name.utf8.allSatisfy(\.isHTTPTokenCharacter), "a header field has a name")
    require(value.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a header field has a plain value")
  }
}
