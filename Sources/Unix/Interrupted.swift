import Glibc

/// Calls the system again as long as a signal interrupts it (signal(7)): on network file systems and FUSE that happens to
/// calls which never wait on a disk.
package func retryingInterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}
