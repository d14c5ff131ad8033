internal import Synchronization

/// Whether a peer has begun to speak: a browser's connection in advance ends without a word, a slow request with one.
final class Began: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .relaxed) }

  func set() { flag.store(true, ordering: .relaxed) }
}
