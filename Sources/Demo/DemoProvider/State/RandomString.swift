import Foundation
import MSAuthCore

enum RandomString {
  /// 256 random bits: a code, a token, a cookie.
  static func token() -> String {
    // On Linux, Swift's generator is the kernel's.
    Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
  }

  /// Lowercase, like Microsoft Entra's.
  static func guid() -> String { UUID().uuidString.lowercased() }

  /// Without vowels and similar letters (RFC 8628 §6.1).
  static func userCode() -> String {
    let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
    return String((0..<8).compactMap { _ in letters.randomElement() })
  }
}
