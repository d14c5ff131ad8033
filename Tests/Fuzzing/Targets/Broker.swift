@testable import MSAuthBroker
import MSAuthCore

private let now: UnixTime = 1_700_000_000

/// The identity broker's responses: any program of the session may have written them.
@Sendable func fuzzBroker(_ input: Input) {
  do throws(BrokerFailure) {
    let members = try BrokerResponse.members(of: input.text)
    if let accounts = try? BrokerResponse.accounts(members) {
      require(accounts.count <= 100, "the list of accounts is limited")
      for account in accounts { requirePrintable(account.homeAccountID, "an ID") }
    }
    let tokens = try BrokerResponse.tokens(members, now: now)
    require(tokens["refresh_token"] == nil, "the broker's refresh token is left out")
    for name in ["access_token", "id_token", "client_info"] {
      require(tokens[name]?.string?.isEmpty == false, "a response has \(name)")
    }
    require(tokens["expires_in"]?.integer.map { $0 > 0 } == true, "an access token has not expired")
  } catch {
    requirePrintable(error.error.message, "a message")
    require(error.error.code != .canceled, "no task was canceled")
  }
}
