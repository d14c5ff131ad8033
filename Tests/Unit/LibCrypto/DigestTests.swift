import MSAuthCore
import MSAuthCrypto
import Testing

@Suite("hashes")
struct DigestTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let digest: Digest
    let message: String
    var times = 1
    let hash: String
    var testDescription: String { "\(digest.rawValue) of \(times) × “\(message.prefix(20))”" }
  }

  // The examples of FIPS 180-4, also in RFC 6234 §8.5.
  static let twoBlocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
  static let vectors = [
    Vector(
      digest: .sha256,
      message: "",
      hash: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    ),
    Vector(
      digest: .sha256,
      message: "abc",
      hash: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    ),
    Vector(
      digest: .sha256,
      message: twoBlocks,
      hash: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    Vector(
      digest: .sha256,
      message: "a",
      times: 1_000_000,
      hash: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
    Vector(
      digest: .sha384,
      message: "abc",
      hash: """
        cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed
        8086072ba1e7cc2358baeca134c825a7
        """
    ),
    Vector(
      digest: .sha512,
      message: "abc",
      hash: """
        ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a
        2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
        """
    ),
  ]

  @Test("the published examples match", arguments: vectors)
  func publishedExamples(vector: Vector) {
    let message = String(repeating: vector.message, count: vector.times)
    #expect(vector.digest.hash(message.utf8) == hex(vector.hash))
  }

  @Test("a slice has the same hash as its copy")
  func slice() {
    let bytes: [UInt8] = Array(0...255)
    #expect(Digest.sha256.hash(bytes[10..<20]) == Digest.sha256.hash(Array(bytes[10..<20])))
  }
}

@Suite("random bytes")
struct SystemRandomTests {
  @Test("the requested number of bytes is returned", arguments: [0, 1, 32, 4096])
  func count(count: Int) {
    #expect(SystemRandom().bytes(count).count == count)
  }

  @Test("two draws differ")
  func distinct() {
    let draws = (0..<200).map { _ in SystemRandom().bytes(16) }
    #expect(Set(draws).count == draws.count)
  }
}
