import FoundationEssentials
import MSAuth
import MSAuthDesktop

/// A version of the `ExecCredential` object that a plugin prints for `kubectl` and other Kubernetes clients.
enum ExecCredentialVersion: String, Sendable, CaseIterable {
  case v1 = "client.authentication.k8s.io/v1"
  /// Before Kubernetes 1.22.
  case v1beta1 = "client.authentication.k8s.io/v1beta1"

  /// The version in `KUBERNETES_EXEC_INFO`.
  init(environment: [String: String] = ProcessInfo.processInfo.environment) throws(AuthenticationError) {
    let variable = "KUBERNETES_EXEC_INFO"
    guard let string = environment.nonEmpty(variable) else {
      self = .v1
      return
    }
    guard let info = try? JSONValue(parsing: string.utf8), info["kind"]?.string == "ExecCredential",
      let name = info["apiVersion"]?.string
    else {
      let message = "\(variable) doesn't contain an ExecCredential"
      let hint: Hint = "kubectl sets it; unset it to try the command by hand"
      throw AuthenticationError(.invalidConfiguration, message, reason: "exec_credential_unknown", hint: hint)
    }
    guard let version = Self(rawValue: name) else {
      let message = "the kubeconfig requires the unknown version \(name.quoted)"
      let hint: Hint = "write apiVersion: \(Self.v1.rawValue) into the user's exec section of the kubeconfig"
      throw AuthenticationError(.invalidConfiguration, message, reason: "exec_credential_unknown", hint: hint)
    }
    self = version
  }
}
