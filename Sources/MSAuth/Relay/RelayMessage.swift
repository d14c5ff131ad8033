package import Core
import FoundationEssentials
package import Loopback

// A sign-in with the browser on another computer has two ends: one signs in and keeps the tokens, the other listens for
// the redirect. They speak in lines, each a JSON object; neither believes the other more than it has to.

/// The bounds of both ends.
package enum RelayLimits {
  /// Bytes of a line: a form post and its header take 170 KiB at most, a page less.
  package static let maximumLineBytes = 512 << 10
  /// Requests of the browser that wait for their answers at a time: it has a few, and a flood must not pile up on a
  /// connection that is slower.
  package static let maximumRequests = 64
  /// Raised when one end no longer understands the other.
  package static let version: Int64 = 2

  static func object(_ line: [UInt8]) throws(Refusal) -> JSON.Object {
    do {
      return try JSON.object(parsing: line, options: .strict(maximumSize: maximumLineBytes))
    } catch {
      throw Refusal("it is no JSON object: \(error)")
    }
  }
}

/// What the end with the browser says.
package enum BrowserEndMessage: Sendable {
  /// Sign in, with these arguments of `msauth login`.
  case begin(arguments: [String])
  /// The listener stands.
  case listening(port: UInt16, recognisesUsers: Bool)
  case notListening(LoopbackError)
  /// A request of the browser.
  case request(id: Int64, LoopbackRequest)

  /// The header fields that decide anything; others, such as cookies of other programs, stay where they are.
  static let headers: Set<String> = [
    "accept-language", "content-type", "sec-fetch-dest", "sec-fetch-mode", "sec-purpose",
  ]

  package init(_ line: [UInt8]) throws(Refusal) {
    let object = try RelayLimits.object(line)
    if let arguments = object["arguments"]?.array {
      let words = arguments.compactMap(\.string)
      guard words.count == arguments.count else { throw Refusal("an argument is not a string") }
      self = .begin(arguments: words)
    } else if let listening = object["listening"] {
      guard let port = listening["port"]?.integer.flatMap({ UInt16(exactly: $0) }), port > 0,
        let recognisesUsers = listening["recognises_users"]?.bool
      else { throw Refusal("\"listening\" is incomplete") }
      self = .listening(port: port, recognisesUsers: recognisesUsers)
    } else if let failure = object["not_listening"] {
      guard let kind = failure["kind"]?.string.flatMap(LoopbackError.Kind.init(rawValue:)),
        let port = failure["port"]?.integer.flatMap({ UInt16(exactly: $0) }), let message = failure["message"]?.string
      else { throw Refusal("\"not_listening\" is incomplete") }
      self = .notListening(LoopbackError(kind, port: port, message: message.printable()))
    } else if let request = object["request"] {
      guard let id = request["id"]?.integer, let value = LoopbackRequest(request) else {
        throw Refusal("\"request\" is incomplete")
      }
      self = .request(id: id, value)
    } else {
      throw Refusal("its kind is unknown")
    }
  }

  /// The line, without its end.
  package var line: [UInt8] {
    let json: JSON =
      switch self {
      case .begin(let arguments): ["arguments": .array(arguments.map { .string($0) })]
      case .listening(let port, let recognisesUsers):
        ["listening": ["port": .number(.init(Int64(port))), "recognises_users": .bool(recognisesUsers)]]
      case .notListening(let error):
        [
          "not_listening": [
            "kind": .string(error.kind.rawValue), "port": .number(.init(Int64(error.port))),
            "message": .string(error.message),
          ]
        ]
      case .request(let id, let request): ["request": request.relayed(id: id)]
      }
    return json.serialized()
  }
}

/// What the end that signs in says.
package enum SignInEndMessage: Sendable {
  /// It is there, and speaks this version.
  case hello(version: Int64)
  /// Listen at this host and port; 0 is any.
  case listen(LoopbackHost, port: UInt16)
  /// The answer to a request of the browser.
  case response(id: Int64, RelayedResponse)
  /// Open the provider's address, behind a link of the listener.
  case open(address: String)
  /// It waits for the person, so long; what to look at if nothing happens.
  case waiting(timeout: Duration, hint: String)
  case refused(reason: String)
  case ignored(reason: String)
  /// The sign-in has ended: the object that `--json` prints.
  case ended(JSON.Object)

  package init(_ line: [UInt8]) throws(Refusal) {
    let object = try RelayLimits.object(line)
    if object["version"] != nil {
      self = .ended(object)
    } else if let version = object["msauth_relay"]?.integer {
      self = .hello(version: version)
    } else if let listen = object["listen"] {
      guard let name = listen["host"]?.string,
        let host = LoopbackHost.allCases.first(where: { $0.uriHost.isIdentical(to: name) }),
        let port = listen["port"]?.integer.flatMap({ UInt16(exactly: $0) })
      else { throw Refusal("\"listen\" is incomplete") }
      self = .listen(host, port: port)
    } else if let response = object["response"] {
      guard let id = response["id"]?.integer, let value = RelayedResponse(response) else {
        throw Refusal("\"response\" is incomplete")
      }
      self = .response(id: id, value)
    } else if let open = object["open"] {
      guard let address = open["address"]?.string else { throw Refusal("\"open\" is incomplete") }
      self = .open(address: address)
    } else if let waiting = object["waiting"] {
      guard let seconds = waiting["seconds"]?.double, seconds >= 0,
        seconds <= Double(WaitingTime.maximum.components.seconds), let hint = waiting["hint"]?.string
      else { throw Refusal("\"waiting\" is incomplete") }
      self = .waiting(timeout: .seconds(seconds), hint: hint.printable(limit: 1000))
    } else if let reason = object["refused"]?.string {
      self = .refused(reason: reason.printable())
    } else if let reason = object["ignored"]?.string {
      self = .ignored(reason: reason.printable())
    } else {
      throw Refusal("its kind is unknown")
    }
  }

  /// The line, without its end.
  package var line: [UInt8] {
    let json: JSON =
      switch self {
      case .hello(let version): ["msauth_relay": .number(.init(version))]
      case .listen(let host, let port):
        ["listen": ["host": .string(host.uriHost), "port": .number(.init(Int64(port)))]]
      case .response(let id, let response): ["response": response.json(id: id)]
      case .open(let address): ["open": ["address": .string(address)]]
      case .waiting(let timeout, let hint):
        [
          "waiting": [
            "seconds": JSON.Number(timeout / .seconds(1)).map { .number($0) } ?? .null, "hint": .string(hint),
          ]
        ]
      case .refused(let reason): ["refused": .string(reason)]
      case .ignored(let reason): ["ignored": .string(reason)]
      case .ended(let object): .object(object)
      }
    return json.serialized()
  }
}

extension LoopbackRequest {
  fileprivate init?(_ json: JSON) {
    guard let method = json["method"]?.string, let path = json["path"]?.string, let host = json["host"]?.string,
      let headers = json["headers"]?.array, let body = json["body"]?.string.flatMap({ Base64URL.decode($0) })
    else { return nil }
    let fields = headers.compactMap { field in
      field[0].flatMap { name in field[1].map { (name: name, value: $0) } }
    }
    guard fields.count == headers.count else { return nil }
    self.init(method: method, path: path, query: json["query"]?.string, headers: fields, host: host, body: body)
  }

  fileprivate func relayed(id: Int64) -> JSON {
    let fields = headers.filter { BrowserEndMessage.headers.contains($0.name) }
    return [
      "id": .number(.init(id)), "method": .string(method), "path": .string(path),
      "query": query.map { .string($0) } ?? .null, "host": .string(host),
      "headers": .array(fields.map { [.string($0.name), .string($0.value)] }), "body": .string(Base64URL.encode(body)),
    ]
  }
}

extension JSON {
  fileprivate subscript(_ index: Int) -> String? {
    guard let array, array.count == 2 else { return nil }
    return array[index].string
  }
}
