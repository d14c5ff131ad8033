import Glibc

/// What happens in a child between fork and exec, with two calls of glibc that the `Glibc` module does not show.
struct SpawnActions: ~Copyable {
  private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
  private typealias ChangeFolder =
    @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) -> Int32

  var raw = posix_spawn_file_actions_t()

  /// Gives the child these three standard descriptors, nothing else that is open here, and a working directory.
  init(input: Int32, output: Int32, errors: Int32, folder: String) throws {
    guard let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np"),
      let changeFolder = dlsym(nil, "posix_spawn_file_actions_addchdir_np")
    else { throw TestFailure("glibc 2.34 or newer is needed to start child processes") }
    posix_spawn_file_actions_init(&raw)
    posix_spawn_file_actions_adddup2(&raw, input, 0)
    posix_spawn_file_actions_adddup2(&raw, output, 1)
    posix_spawn_file_actions_adddup2(&raw, errors, 2)
    _ = unsafeBitCast(closeFrom, to: CloseFrom.self)(&raw, 3)
    _ = unsafeBitCast(changeFolder, to: ChangeFolder.self)(&raw, folder)
  }

  deinit {
    var raw = raw
    posix_spawn_file_actions_destroy(&raw)
  }
}
