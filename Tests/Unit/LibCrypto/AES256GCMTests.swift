import MSAuthCore
@testable import MSAuthCrypto
import Testing

@Suite("AES-256-GCM")
struct AES256GCMTests {
  static let key = [UInt8](repeating: 7, count: AES256GCM.keySize)

  @Test("another implementation's ciphertext is decrypted (test case 16 of the mode's specification)")
  func vector() throws {
    let sealed = hex(
      """
      cafebabefacedbaddecaf888
      522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
      76fc6ece0f4e1768cddf8853bb2d551b
      """
    )
    let plaintext = hex(
      """
      d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
      1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
      """
    )
    let key = hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
    let header = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    #expect(try AES256GCM.open(sealed, key: key, header: header) == plaintext)
  }

  @Test("encryption round-trips, and is never deterministic", arguments: [0, 1, 15, 16, 17, 100_000])
  func roundTrip(count: Int) throws {
    let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let sealed = try AES256GCM.seal(plaintext, key: Self.key, header: [1])
    #expect(sealed.count == count + 28)
    #expect(try AES256GCM.open(sealed, key: Self.key, header: [1]) == plaintext)
    #expect(try AES256GCM.seal(plaintext, key: Self.key, header: [1]) != sealed)
  }

  @Test("a changed bit, a missing byte, or a different key or header fails")
  func tampering() throws {
    let sealed = try AES256GCM.seal(Array("secret".utf8), key: Self.key, header: [1])
    let changed = (0..<sealed.count * 8).map { bit in
      var changed = sealed
      changed[bit / 8] ^= 1 << (bit % 8)
      return changed
    }
    for bytes in changed + sealed.indices.map({ Array(sealed.prefix($0)) }) {
      #expect(try AES256GCM.open(bytes, key: Self.key, header: [1]) == nil, "\(bytes)")
    }
    #expect(try AES256GCM.open(sealed, key: Self.key.map { $0 ^ 1 }, header: [1]) == nil)
    #expect(try AES256GCM.open(sealed, key: Self.key, header: [2]) == nil)
    let error = #expect(throws: AuthenticationError.self) { try AES256GCM.seal([], key: [1, 2, 3], header: []) }
    #expect(error?.reason == .invalidKey)
  }
}
