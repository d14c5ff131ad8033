import Foundation
import Core

/// Unguessable strings.
enum RandomString {
  /// A string of 256 random bits: a code, a token, a cookie.
  static func token() -> String {
    // Swift's own generator is the kernel's on Linux.
    Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
  }

  /// A random GUID, lower case as Microsoft Entra writes them.
  static func guid() -> String { UUID().uuidString.lowercased() }

  /// A code that a person can type: no vowels and no look-alikes (RFC 8628 §6.1).
  static func userCode() -> String {
    let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
    return String((0..<8).compactMap { _ in letters.randomElement() })
  }
}
