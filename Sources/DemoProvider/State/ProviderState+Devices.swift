import MSAuthCore

extension ProviderState {
  func startDevice(
    scopes: [String],
    clientID: String,
    wantsClientInfo: Bool,
    at kind: ProviderKind
  ) -> (deviceCode: String, device: PendingDevice) {
    let device = PendingDevice(
      userCode: RandomString.userCode(),
      kind: kind,
      clientID: clientID,
      scopes: scopes,
      wantsClientInfo: wantsClientInfo,
      expires: now + Self.deviceCodeLifetime
    )
    let code = RandomString.token()
    devices[code] = device
    return (code, device)
  }

  func device(userCode: String) -> PendingDevice? {
    devices.values.first { device in
      guard case .none = device.answer else { return false }
      return device.userCode == userCode && device.expires > now
    }
  }

  /// Records the sign-in for a device; `nil` if the user denied it.
  func answerDevice(userCode: String, _ signIn: BrowserSession.SignIn?) {
    guard let (code, device) = devices.first(where: { $0.value.userCode == userCode }) else { return }
    guard let signIn else {
      devices[code]?.answer = .denied
      return
    }
    devices[code]?.answer = .allowed(
      Grant(
        id: RandomString.guid(),
        kind: device.kind,
        clientID: device.clientID,
        user: signIn.user,
        scopes: device.scopes,
        nonce: nil,
        authTime: signIn.authTime,
        sessionID: signIn.id,
        wantsClientInfo: device.wantsClientInfo,
        requestedClaims: []
      )
    )
  }

  /// A device polls (RFC 8628 §3.4, §3.5).
  func redeem(deviceCode: String, at kind: ProviderKind) throws(ProtocolError) -> Grant {
    guard let device = devices[deviceCode], device.kind.isSameProvider(as: kind) else {
      throw kind.isEntra
        ? ProtocolError("bad_verification_code", "The device code is unknown.", aadsts: 70018)
        : ProtocolError("invalid_grant", "The device code is unknown.", aadsts: 70018)
    }
    guard device.expires > now else {
      throw ProtocolError("expired_token", "The device code has expired.", aadsts: 70020)
    }
    switch device.answer {
    case .allowed(let grant):
      devices[deviceCode] = nil
      return grant
    case .denied:
      devices[deviceCode] = nil
      throw ProtocolError(
        kind.isEntra ? "authorization_declined" : "access_denied",
        "The user has denied the sign-in.",
        aadsts: 65004
      )
    case .none:
      let isTooSoon = device.lastPoll.map { now - $0 < options.devicePollingInterval } ?? false
      devices[deviceCode]?.lastPoll = now
      // Microsoft Entra doesn't use slow_down.
      let isSlowed = injector.slowsDevices == true && device.lastPoll == nil
      throw (isTooSoon || isSlowed) && !kind.isEntra
        ? ProtocolError("slow_down", "The device polls too often.", aadsts: 70016)
        : ProtocolError("authorization_pending", "The user has not yet signed in.", aadsts: 70016)
    }
  }
}
