import MSAuthCore
@testable import MSAuthCrypto
import Testing

@Suite("keys from the numbers of a JSON Web Key")
struct PublicKeyTests {
  // The example key of RFC 7517 §3.
  static let x = Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU") ?? []
  static let y = Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0") ?? []
  static let e: [UInt8] = [1, 0, 1]

  /// An odd number with that many bits.
  static func odd(bits: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xA5, count: (bits + 7) / 8)
    bytes[0] = 1 << UInt8((bits - 1) % 8)
    return bytes
  }

  @Test(
    "an RSA modulus of 2048 to 16384 bits and an exponent of 3 or 65537 are accepted",
    arguments: [2048, 2049, 3072, 4096, 16384],
    [[3], e]
  )
  func accepted(bits: Int, exponent: [UInt8]) throws {
    _ = try PublicKey.rsa(modulus: Self.odd(bits: bits), exponent: exponent)
  }

  @Test("an RSA modulus of another size is rejected", arguments: [8, 512, 1024, 2047, 16385, 100_000])
  func modulusRejected(bits: Int) {
    let error = #expect(throws: AuthenticationError.self) {
      try PublicKey.rsa(modulus: Self.odd(bits: bits), exponent: Self.e)
    }
    #expect(error?.reason == .invalidKey)
    #expect(error?.message.contains("\(bits)") == true)
  }

  @Test("leading zeros don't count toward a modulus's size")
  func leadingZeros() throws {
    let zeros = [UInt8](repeating: 0, count: 200)
    let error = #expect(throws: AuthenticationError.self) {
      try PublicKey.rsa(modulus: zeros + Self.odd(bits: 1024), exponent: Self.e)
    }
    #expect(error?.message.contains("has 1024 bits") == true)
    let key = try PublicKey.rsa(modulus: [0] + Self.odd(bits: 2048), exponent: [0] + Self.e)
    #expect(key.components == .rsa(modulus: Self.odd(bits: 2048), exponent: Self.e))
  }

  @Test("an RSA exponent that is large or even, and a modulus that is even or empty, are rejected")
  func numbersRejected() {
    let modulus = Self.odd(bits: 2048)
    let exponents: [[UInt8]] = [[], [0], [1], [2], [1, 0, 0], [1, 0, 0, 0, 1]]
    let rejected: [([UInt8], [UInt8], String)] =
      exponents.map { (modulus, $0, "exponent isn't an odd number") } + [
        (modulus.dropLast() + [0xA4], Self.e, "modulus is even"), ([], Self.e, "modulus has 0 bits"),
      ]
    for (modulus, exponent, reason) in rejected {
      let error = #expect(throws: AuthenticationError.self) { try PublicKey.rsa(modulus: modulus, exponent: exponent) }
      #expect(error?.message.contains(reason) == true, "\(error as Any)")
    }
  }

  @Test("only a point on the curve is accepted")
  func points() throws {
    let key = try PublicKey.ellipticCurve(.p256, x: Self.x, y: Self.y)
    #expect(key.components == .ellipticCurve(.p256, x: Self.x, y: Self.y))
    var off = Self.y
    off[31] ^= 1
    let (zeros, ones) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32))
    for (x, y) in [(Self.x, off), (zeros, zeros), (ones, ones)] {
      let error = #expect(throws: AuthenticationError.self) { try PublicKey.ellipticCurve(.p256, x: x, y: y) }
      #expect(error?.reason == .invalidKey)
    }
  }

  @Test("a coordinate of another length is rejected", arguments: EllipticCurve.allCases)
  func coordinateLength(curve: EllipticCurve) {
    let coordinates = [0, 31, 33, 49, 65, 67, 1_000_000].map { [UInt8](repeating: 1, count: $0) }
    for (x, y) in coordinates.map({ ($0, $0) }) + [(Self.x, [0] + Self.y)] {
      let error = #expect(throws: AuthenticationError.self) { try PublicKey.ellipticCurve(curve, x: x, y: y) }
      #expect(error?.message.hasPrefix("a coordinate on \(curve.rawValue) doesn't have ") == true)
    }
  }

  @Test("an Ed25519 key of another length is rejected", arguments: [0, 31, 33, 57])
  func ed25519Length(length: Int) {
    let error = #expect(throws: AuthenticationError.self) {
      try PublicKey.ed25519(x: [UInt8](repeating: 9, count: length))
    }
    #expect(error?.message == "the Ed25519 key has \(length) bytes; it must have 32")
  }
}
