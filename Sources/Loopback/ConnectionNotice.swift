/// What befell a connection that brought no request to answer; for a log, so nothing of the peer's words is in it.
package enum ConnectionNotice: Sendable, Equatable {
  /// What was sent is no request that may be answered.
  case refused(status: Int, reason: String)
  /// A browser spoke TLS, as it does when it is told to prefer https.
  case spokeTLS
  /// Another user of this machine connected.
  case otherUser(UInt32)
  /// The system could not give a connection; the listener goes on.
  case notAccepted
}
