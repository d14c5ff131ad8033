import MSAuth

/// A redirect URI at this computer's loopback address.
struct RedirectURIArgument: CheckedArgument {
  let uri: String

  init(argument: String) throws(AuthenticationError) {
    if argument.isEmpty { throw .usage("is empty") }
    do throws(AuthenticationError) { _ = try RedirectTarget(argument) } catch {
      // The option's name precedes the message.
      let message = String(error.message.trimmingPrefix("the redirect URI "))
      throw error.with { ($0.code, $0.message) = (.invalidParameter, message) }
    }
    uri = argument
  }
}
