import Foundation
import MSAL
import Core

extension ViewController {
  /// Adds to the log below the buttons.
  func updateLogging(text: String) {
    screen.write(text, at: UnixTime(Date().timeIntervalSince1970))
  }
}

/// What a person can make of an error: what went wrong, what to do, and the number to look up.
func words(of error: any Error) -> String {
  let error = error as NSError
  let hint = (error.localizedRecoverySuggestion).map { "\n\($0.printable())" } ?? ""
  let code = error.domain == MSALErrorDomain ? " (\(MSALErrorDomain) \(error.code))" : ""
  return error.localizedDescription.printable(limit: 1000) + code + hint
}
