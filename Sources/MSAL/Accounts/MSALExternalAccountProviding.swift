import MSAuth

/// The properties of every account, this library's or an application's.
public protocol MSALAccountProtocol {
  /// The username.
  var username: String? { get }
  /// The home account ID.
  var identifier: String? { get }
  /// The provider's host.
  var environment: String { get }
  /// The claims of the ID token.
  var accountClaims: [String: Any]? { get }
}

extension MSALAccount: MSALAccountProtocol {}

/// A list of accounts that the application manages, merged with this library's.
///
/// It is called on any thread, one call at a time.
public protocol MSALExternalAccountProviding: AnyObject {
  /// Called for each account that received a token; an error is logged, and the token is still returned.
  func update(_ account: any MSALAccountProtocol, idTokenClaims: [AnyHashable: Any]) throws

  /// Called for each account that was removed or signed out; an error is logged.
  func remove(_ account: any MSALAccountProtocol) throws

  /// Lists the application's accounts; after an error, which is logged, only this library's accounts are listed.
  func accounts(with parameters: MSALAccountEnumerationParameters) throws -> [any MSALAccountProtocol]
}

/// The lists of accounts that the application manages, called one after the other.
final class ExternalAccounts: @unchecked Sendable {
  // Unchecked because the providers are the application's classes; the recursive lock admits one thread at a time, and lets
  // a provider call this library.
  private let providers: [any MSALExternalAccountProviding]
  private let lock = NSRecursiveLock()

  init(_ providers: [any MSALExternalAccountProviding]) { self.providers = providers }

  /// This library's accounts, and then the providers' other accounts that match.
  func merged(with records: [Account], matching parameters: MSALAccountEnumerationParameters) -> [MSALAccount] {
    var known = Set(records.map { Array($0.identifier.utf8) })
    var found = records.map { MSALAccount($0, isListed: true) }
    for provider in providers {
      for account in attempt({ try provider.accounts(with: parameters) }) ?? [] {
        guard let identifier = account.identifier, known.insert(Array(identifier.utf8)).inserted else { continue }
        let claims = account.accountClaims?.compactMap { name, value in
          (try? JSONValue(foundation: value)).map { (name, $0) }
        }
        let record = Account(
          identifier: identifier,
          username: account.username ?? "",
          environment: account.environment,
          claims: JSONValue.Object(claims ?? [])
        )
        found.append(MSALAccount(record, isListed: true))
      }
    }
    return found
  }

  func update(_ result: MSALResult) {
    let account = result.account
    for provider in providers {
      attempt { try provider.update(account, idTokenClaims: result.tenantProfile.claims ?? [:]) }
    }
  }

  func remove(_ account: Account) {
    let account = MSALAccount(account, isListed: false)
    for provider in providers {
      attempt { try provider.remove(account) }
    }
  }

  @discardableResult
  private func attempt<Value>(_ body: () throws -> Value) -> Value? {
    lock.lock()
    defer { lock.unlock() }
    do {
      return try body()
    } catch {
      MSALGlobalConfig.loggerConfig.deliver(LogEntry(.warning, "an external account provider failed"))
      return nil
    }
  }
}
