import MSAuthCore

extension IdentityProvider {
  func device(userCode: String) -> PendingDevice? {
    devices.values.first { device in
      guard case .none = device.answer else { return false }
      return device.userCode == userCode && device.expires > now
    }
  }

  /// Redeems the code that a device polls with (RFC 8628 §3.4, §3.5).
  func redeem(deviceCode: String, at kind: ProviderKind) throws(ProtocolError) -> Grant {
    guard let device = devices[deviceCode], device.access.kind.isSameProvider(as: kind) else {
      let error = kind.isEntra ? "bad_verification_code" : "invalid_grant"
      throw ProtocolError(error, "The device code is unknown.", aadsts: 70018)
    }
    guard device.expires > now else {
      throw ProtocolError("expired_token", "The device code has expired.", aadsts: 70020)
    }
    switch device.answer {
    case .allowed(let signIn):
      devices[deviceCode] = nil
      return Grant(access: device.access, signIn: signIn)
    case .denied:
      devices[deviceCode] = nil
      let error = kind.isEntra ? "authorization_declined" : "access_denied"
      throw ProtocolError(error, "The user has denied the sign-in.", aadsts: 65004)
    case .none:
      let isTooSoon = device.lastPoll.map { now - $0 < Self.devicePollingInterval } ?? false
      devices[deviceCode]?.lastPoll = now
      // Microsoft Entra doesn't use slow_down.
      let isSlowed = injector.slowsDevices && device.lastPoll == nil
      throw (isTooSoon || isSlowed) && !kind.isEntra
        ? ProtocolError("slow_down", "The device polls too often.", aadsts: 70016)
        : ProtocolError("authorization_pending", "The user has not yet signed in.", aadsts: 70016)
    }
  }
}
