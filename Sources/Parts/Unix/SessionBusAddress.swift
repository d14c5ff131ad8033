import Glibc
import MSAuthCore

/// The address of the session bus: the variable's, or systemd's socket (sd_bus_open_user(3)); `nil` without a bus, where
/// GLib would start one on some systems.
package func sessionBusAddress(in environment: [String: String]) -> String? {
  if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
  guard let directory = environment["XDG_RUNTIME_DIR"], !directory.isEmpty else { return nil }
  let socket = directory.appendingPathComponent("bus")
  return access(socket, F_OK) == 0 ? "unix:path=\(socket)" : nil
}
