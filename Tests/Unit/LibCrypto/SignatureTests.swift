import MSAuthCore
@testable import MSAuthCrypto
import Testing

/// One key of each kind for all tests: generating an RSA key takes a quarter of a second.
enum SampleKeys {
  static let kinds: [SignatureAlgorithm] = [.rs256, .es256, .es384, .es512, .edDSA]
  static let all = Result { try kinds.map { ($0, try SigningKey.generate(for: $0)) } }

  static func key(_ kind: SignatureAlgorithm) throws -> SigningKey {
    try #require(try all.get().first { $0.0 == kind }?.1)
  }

  static func kind(for algorithm: SignatureAlgorithm) -> SignatureAlgorithm {
    switch algorithm {
    case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rs256
    case .es256, .es384, .es512, .edDSA: algorithm
    }
  }
}

@Suite("signatures")
struct SignatureTests {
  static let message = Array("a message".utf8)

  private func signed(_ algorithm: SignatureAlgorithm) throws -> (key: SigningKey, signature: [UInt8]) {
    let key = try SampleKeys.key(SampleKeys.kind(for: algorithm))
    return (key, try key.sign(Self.message, with: algorithm))
  }

  // A key's public half is made from its numbers.
  @Test("a signature verifies, and has JOSE's length", arguments: SignatureAlgorithm.allCases)
  func roundTrip(algorithm: SignatureAlgorithm) throws {
    let length =
      switch algorithm {
      case .es256, .edDSA: 64
      case .es384: 96
      case .es512: 132
      default: 256
      }
    let key = try SampleKeys.key(SampleKeys.kind(for: algorithm))
    // ECDSA's numbers sometimes have leading zeros, so one signature proves little.
    let messages = [[], [UInt8](repeating: 7, count: 100_000)] + Array(repeating: Self.message, count: 300)
    for message in messages.prefix(length == 256 ? 3 : messages.count) {
      let signature = try key.sign(message, with: algorithm)
      #expect(signature.count == length)
      #expect(key.publicKey.verify(signature: signature, of: message, with: algorithm))
    }
  }

  @Test("a changed bit of signature or message is rejected", arguments: SignatureAlgorithm.allCases)
  func changedBit(algorithm: SignatureAlgorithm) throws {
    let (key, signature) = try signed(algorithm)
    func changed(_ bytes: [UInt8]) -> [[UInt8]] {
      bytes.indices.map { index in
        var changed = bytes
        changed[index] ^= 1 << UInt8(index % 8)
        return changed
      }
    }
    for other in changed(signature) {
      #expect(!key.publicKey.verify(signature: other, of: Self.message, with: algorithm))
    }
    for other in changed(Self.message) {
      #expect(!key.publicKey.verify(signature: signature, of: other, with: algorithm))
    }
  }

  @Test("a signature of another length is rejected", arguments: SignatureAlgorithm.allCases)
  func otherLength(algorithm: SignatureAlgorithm) throws {
    let (key, signature) = try signed(algorithm)
    let lengths: [[UInt8]] = [
      [], [0], signature.dropLast(), signature + [0], [0] + signature, Array(signature.dropFirst()),
      signature + signature, [UInt8](repeating: 0, count: signature.count),
      [UInt8](repeating: 0xFF, count: signature.count), [UInt8](repeating: 0xFF, count: 1_000_000),
    ]
    for other in lengths {
      #expect(!key.publicKey.verify(signature: other, of: Self.message, with: algorithm))
    }
  }

  @Test("an RSA signature without its leading zero is rejected", arguments: [SignatureAlgorithm.ps256, .rs256])
  func strippedZero(algorithm: SignatureAlgorithm) throws {
    let key = try SampleKeys.key(.rs256)
    // One signature in 256 begins with a zero.
    for number in 0..<10_000 {
      let message = Array("\(number)".utf8)
      let signature = try key.sign(message, with: algorithm)
      guard signature.first == 0 else { continue }
      #expect(key.publicKey.verify(signature: signature, of: message, with: algorithm))
      #expect(!key.publicKey.verify(signature: signature.dropFirst(), of: message, with: algorithm))
      return
    }
    Issue.record("no signature began with a zero")
  }

  @Test("another algorithm, or another key of the same kind, doesn't verify", arguments: SignatureAlgorithm.allCases)
  func others(algorithm: SignatureAlgorithm) throws {
    let (key, signature) = try signed(algorithm)
    for other in SignatureAlgorithm.allCases where other != algorithm {
      #expect(!key.publicKey.verify(signature: signature, of: Self.message, with: other))
    }
    let other = try SigningKey.generate(for: algorithm).publicKey
    #expect(!other.verify(signature: signature, of: Self.message, with: algorithm))
  }

  @Test("a key signs only with its own algorithms", arguments: SampleKeys.kinds)
  func suits(kind: SignatureAlgorithm) throws {
    let key = try SampleKeys.key(kind)
    for algorithm in SignatureAlgorithm.allCases {
      let suits = SampleKeys.kind(for: algorithm) == kind
      #expect(key.publicKey.suits(algorithm) == suits)
      if suits { continue }
      let error = #expect(throws: AuthenticationError.self) { try key.sign(Self.message, with: algorithm) }
      #expect(error?.reason == .unsuitableAlgorithm)
    }
  }

  @Test("many tasks share a key")
  func concurrent() async throws {
    let key = try SampleKeys.key(.es256)
    let signature = try key.sign(Self.message, with: .es256)
    let verified = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<200 {
        group.addTask { key.publicKey.verify(signature: signature, of: Self.message, with: .es256) }
      }
      return await group.reduce(0) { $1 ? $0 + 1 : $0 }
    }
    #expect(verified == 200)
  }
}
