import MSAL

extension Surface {
  /// 1.5 Authorities and clouds.
  static let authorities: [[String]] = [
    Members<MSALAuthority>(other: ["init(url:)": MSALAuthority.init(url:), "url": \MSALAuthority.url]).names,
    Members<MSALAADAuthority>(other: [
      "init(url:)": MSALAADAuthority.init(url:),
      "init(url:rawTenant:)": MSALAADAuthority.init(url:rawTenant:),
      "init(cloudInstance:audienceType:rawTenant:)": MSALAADAuthority.init(cloudInstance:audienceType:rawTenant:),
      "init(environment:audienceType:rawTenant:)": MSALAADAuthority.init(environment:audienceType:rawTenant:),
    ]).names,
    cases(of: MSALAudienceType.self),
    cases(of: MSALAzureCloudInstance.self),
    Members<MSALB2CAuthority>(other: ["init(url:)": MSALB2CAuthority.init(url:)]).names,
    Members<MSALCIAMAuthority>(other: ["init(url:)": MSALCIAMAuthority.init(url:)]).names,
    Members<MSALADFSAuthority>(other: ["init(url:)": MSALADFSAuthority.init(url:)]).names,
  ]
}
