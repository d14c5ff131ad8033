extension ClientConfiguration {
  /// Signs every account of every application out of the store; returns whether the store had entries of accounts.
  package func signOutOfEveryApplication(
    known: [ClientConfiguration],
    with parameters: SignOutParameters,
    report: (SignOutProgress) -> Void
  ) async throws(AuthenticationError) -> Bool {
    try await logging("sign-out") {
      var parameters = parameters
      parameters.removesEveryAccount = true

      // 1. Read the store.
      let dependencies = try await Dependencies.system(for: self)
      // Other applications may use accounts of the device's broker that didn't sign in to this one.
      var everyone = self
      everyone.accountMode = .multiple
      let context = Context(configuration: everyone, dependencies: dependencies)
      let document = try await dependencies.store.load()
      let current = await AccountList(context: context).current(in: document)

      // 2. Add the broker's accounts; a broker that doesn't respond can't sign the accounts in again.
      var listed = document
      try? await context.addBrokerAccounts(to: &listed)
      try AuthenticationError.checkCancellation()
      let addsOwn = !context.isOnSharedDevice && !clientID.isEmpty && !document.clientIDs.contains(clientID)
      let clientIDs = document.clientIDs + (addsOwn ? [clientID] : [])

      // 3. List the accounts that are signed in to each application; when wiping, also those that aren't.
      var accounts = try everyone.contexts(of: clientIDs, dependencies, known: known).flatMap { context in
        AccountList.ofEveryProvider(context: context, in: listed).flatMap { $0.signedIn(in: listed) }
          .map { (context: context, account: $0) }
      }
      if parameters.wipesAccount {
        let signedIn = Set(accounts.map(\.account.id))
        accounts += AccountList.ofEveryProvider(context: context, in: document).flatMap { $0.all(in: document) }
          .filter { !signedIn.contains($0.id) }.map { (context: context, account: $0) }
      }
      let signOuts = accounts.map { AccountSignOut(context: $0, account: $1, parameters: parameters) }
      report(.found(count: signOuts.count))

      // 4. Sign them out, and remove what is left of accounts that signed out earlier.
      var rest = document
      rest.removeUserAccounts()
      if rest != document || !signOuts.isEmpty {
        try await SignOutFlow(context: context, parameters: parameters).run(signOuts) {
          report(.signedOut($0, wasCurrent: $0.account.id == current?.id, isOnly: signOuts.count == 1))
        }
      }

      // 5. When wiping, remove the damaged caches that were set aside.
      if parameters.wipesAccount { try await context.store.writable().removeSetAside() }
      return rest != document
    }
  }
}

/// The progress of signing every account out.
package enum SignOutProgress {
  case found(count: Int)
  case signedOut(SignOutReport, wasCurrent: Bool, isOnly: Bool)
}
