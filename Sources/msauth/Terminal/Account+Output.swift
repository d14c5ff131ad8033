import MSAuth

extension Account {
  /// The account's home tenant, else the first one that it signed in to.
  var tenant: String? {
    let profile = tenantProfiles.first(where: \.isHomeTenant) ?? tenantProfiles.first
    return profile.flatMap { $0.tenantID.isEmpty ? nil : $0.tenantID }
  }

  var nameWithID: String { "\(username.printable()) (\(identifier.printable()))" }

  func json(tenantID: String? = nil, isCurrent: Bool? = nil) -> JSONValue {
    JSONValue([
      "username": username,
      // Azure AD B2C has a list of addresses.
      "email": claims["email"]?.string ?? claims["emails"]?.array?.first?.string,
      "identifier": identifier,
      "environment": environment,
      "tenant": tenantID ?? tenant,
      "current": isCurrent,
      "broker": isFromBroker ? true : nil,
    ])
  }
}

extension [Account] {
  /// For each account, whether another one has the same username.
  var haveSharedUsernames: [Bool] {
    let counts = Dictionary(grouping: self, by: \.username).mapValues(\.count)
    return map { counts[$0.username] != 1 }
  }

  /// Each account's username, with its ID if another one has the same username.
  var distinctNames: [String] {
    zip(self, haveSharedUsernames).map { $1 ? $0.nameWithID : $0.username.printable() }
  }
}
