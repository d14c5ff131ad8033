package import Core
import CLibCrypto

/// Random bytes that nobody can guess, from libcrypto's generator, which the kernel seeds.
package struct SystemRandom: Sendable {
  /// The maximum number of bytes per call; states, nonces and verifiers need 32.
  static let maximumCount = 1 << 20

  package init() {}

  /// Draws random bytes.
  package func bytes(_ count: Int) throws(Failure) -> [UInt8] {
    guard (0...Self.maximumCount).contains(count) else {
      throw Failure(
        crypto: .noRandomness,
        "\(count) random bytes were asked for; at most \(Self.maximumCount) are given"
      )
    }
    var bytes = [UInt8](repeating: 0, count: count)
    guard crypto.RAND_bytes(&bytes, Int32(count)) == 1 else {
      throw .fromQueue(.noRandomness, "the system gave no random bytes")
    }
    return bytes
  }
}
