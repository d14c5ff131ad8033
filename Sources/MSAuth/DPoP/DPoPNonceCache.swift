import OAuth
import Core

/// The newest nonce of each server, also of former runs: a proof with it spares the request that only learns it.
struct DPoPNonceCache: Sendable {
  let dependencies: Dependencies

  /// The newest nonce that a server gave (RFC 9449 §8.2).
  func newest(of origin: String) async -> String? {
    let kept = await dependencies.documents.document(Self.name(origin))
    return DPoPNonce.read((try? kept.flatMap { try JSON(parsing: $0.bytes) })?.string)
  }

  /// Remembers a nonce, where the response has one.
  func note(_ nonce: String?, of origin: String) async {
    guard let nonce, await nonce != newest(of: origin) else { return }
    let document = JSON.string(nonce).serialized()
    await dependencies.documents.keep(document, as: Self.name(origin), fetched: dependencies.clock.now())
  }

  private static func name(_ origin: String) -> String { origin + "#dpop-nonce" }
}
