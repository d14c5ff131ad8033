/// A request that passed every check, with all that its transfer needs.
struct TransferPlan: Sendable {
  let request: HTTPRequest
  let destination: Destination
  let headerLines: [String]
  let userAgent: String
  let timeouts: Timeouts
  let limits: ResponseLimits
  let network: NetworkSettings

  func failure(_ kind: TransportError.Kind, _ message: String) -> TransportError {
    TransportError(kind, host: destination.name, message: message)
  }
}
