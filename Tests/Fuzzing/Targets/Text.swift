import MSAuthCore

@testable import MSAuthOAuth

/// Text for terminals, pages and URLs.
@Sendable func fuzzText(_ input: Input) {
  var input = input
  let limit = Int(input.byte())
  let bytes = input.bytes
  let text = input.text

  let printable = text.printable(limit: limit)
  requirePrintable(printable, "a printable text")
  require(printable.unicodeScalars.count <= limit + 1, "a printable text is within its limit")
  if text.unicodeScalars.count <= limit {
    require(printable.printable(limit: limit).isIdentical(to: printable), "a printable text is unchanged")
  }
  requirePrintable(text.quoted, "a quoted text")
  for scalar in text.escapingControls.unicodeScalars where scalar.value < 0x20 || scalar.value == 0x7F {
    require(["\n", "\t", "\r"].contains(scalar), "control characters are escaped")
  }
  let html = text.escapedForHTML
  require(!html.utf8.contains { "<>\"'".utf8.contains($0) }, "HTML's special characters are escaped")

  require(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "bytes round-trip")
  if let decoded = Base64URL.decode(text) {
    require(Base64URL.encode(decoded).isIdentical(to: text), "bytes have one encoding")
  }
  require(bytes.hexadecimal.utf8.count == 2 * bytes.count, "a byte has two digits")
  let form = FormEncoding.decode(Array(FormEncoding.encode(text).utf8))
  let isSame = text.isEmpty ? form.isEmpty : form.count == 1 && form[0].name.isIdentical(to: text)
  require(isSame || text.utf8.contains(0), "a text without NUL round-trips")

  let description = ErrorDescription(text)
  requirePrintable(description.sentence + (description.traceID ?? "") + (description.correlationID ?? ""), "a sentence")
  require(description.errorCodes.allSatisfy { (0...999_999_999).contains($0) }, "an error code has at most nine digits")
  if let scopes = try? Scopes(parsing: text) {
    require((try? Scopes(parsing: scopes.joined)) == scopes, "scopes round-trip")
    require(Set(scopes.names).count == scopes.names.count, "scopes are unique")
  }
}
