import Glibc

/// Runs work on a new thread that nobody joins.
///
/// - Returns: Whether the system had a thread to give; the work is dropped when not.
func startThread(_ work: @escaping @Sendable () -> Void) -> Bool {
  final class Box {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }
  let box = Unmanaged.passRetained(Box(work))
  var thread = pthread_t()
  let code = pthread_create(
    &thread,
    nil,
    { box in
      if let box { Unmanaged<Box>.fromOpaque(box).takeRetainedValue().work() }
      return nil
    },
    box.toOpaque()
  )
  guard code == 0 else {
    box.release()
    return false
  }
  pthread_detach(thread)
  return true
}
