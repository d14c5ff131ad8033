import MSAuthCore
import MSAuthCrypto
import Testing

@Suite("hashes")
struct DigestTests {
  // The examples of FIPS 180-4, also in RFC 6234 §8.5.
  static let vectors: [(Digest, message: String, hash: String)] = [
    (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb924 27ae41e4649b934ca495991b7852b855"),
    (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223 b00361a396177a9cb410ff61f20015ad"),
    (
      .sha384, "abc",
      "cb00753f45a35e8bb5a03d699ac65007 272c32ab0eded1631a8b605a43ff5bed 8086072ba1e7cc2358baeca134c825a7"
    ),
    (
      .sha512, "abc",
      """
      ddaf35a193617abacc417349ae204131 12e6fa4e89a97ea20a9eeee64b55d39a
      2192992a274fc1a836ba3c23a3feebbd 454d4423643ce80e2a9ac94fa54ca49f
      """
    ),
  ]

  @Test("the published examples match", arguments: vectors)
  func publishedExamples(digest: Digest, message: String, hash: String) {
    #expect(digest.hash(message.utf8) == hex(hash))
  }

  @Test("a slice has the same hash as its copy")
  func slice() {
    let bytes: [UInt8] = Array(0...255)
    #expect(Digest.sha256.hash(bytes[10..<20]) == Digest.sha256.hash(Array(bytes[10..<20])))
  }
}

@Suite("random bytes")
struct RandomBytesTests {
  @Test("the requested number of bytes is returned, and no two draws are equal")
  func draws() {
    for count in [0, 1, 32, 4096] { #expect(randomBytes(count).count == count) }
    let draws = (0..<200).map { _ in randomBytes(16) }
    #expect(Set(draws).count == draws.count)
  }
}
