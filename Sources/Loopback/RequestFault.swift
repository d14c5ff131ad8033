/// What is wrong with a request before anybody has looked at its meaning.
struct RequestFault: Error, Equatable {
  /// The answer's status; nil closes the connection without a word, for the peer speaks something else than HTTP.
  let status: Int?
  let reason: String

  static func bad(_ reason: String) -> Self { Self(status: 400, reason: reason) }

  /// A browser that was told to prefer https tries it here too; a handshake begins with 0x16 (RFC 8446 §5.1).
  static let tls = Self(status: nil, reason: "TLS on an http port")

  var response: LoopbackResponse? { status.map { .refusal($0, "The request was not understood: \(reason).") } }
}
