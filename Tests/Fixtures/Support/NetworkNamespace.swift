/// The network of a container, whose only other computer is the host; needs root.
package final class NetworkNamespace: Sendable {
  private let process: ChildProcess
  package let hostAddress: String
  /// The first words of a command in the namespace.
  package let entering: [String]

  package init() async throws {
    process = try ChildProcess(["unshare", "--net", "sh", "-c", "echo; exec sleep 3600"])
    _ = try await process.firstLine()
    let pid = process.pid
    entering = ["nsenter", "--net", "--target", "\(pid)"]
    // 198.18.0.0/15 is for tests of networks (RFC 2544).
    let network = "198.18.\(pid >> 6 & 255)."
    hostAddress = network + "\(pid << 2 & 255 | 1)"
    let script = """
      set -e
      ip link add "msauth$1" type veth peer name eth0 netns "$1"
      ip address add "$2/30" dev "msauth$1"
      ip link set "msauth$1" up
      nsenter --net --target "$1" sh -ec "ip address add $3/30 dev eth0; ip link set lo up; ip link set eth0 up"
      """
    let arguments = ["\(pid)", hostAddress, network + "\(pid << 2 & 255 | 2)"]
    try await ChildProcess.output(of: ["sh", "-c", script, "sh"] + arguments)
  }

  deinit {
    // The last process of the namespace takes the network with it.
    process.signal(SIGKILL)
  }
}
