import Foundation
import MSAL

extension Surface {
  /// 1.5 Authorities and clouds.
  mutating func authorities() {
    use("MSALAuthority.init(url:)", ({ try MSALAuthority(url: $0) } as (URL) throws -> MSALAuthority))
    use("MSALAuthority.url", \MSALAuthority.url)
    use("MSALAADAuthority.init(url:)", ({ try MSALAADAuthority(url: $0) } as (URL) throws -> MSALAADAuthority))
    use(
      "MSALAADAuthority.init(url:rawTenant:)",
      ({ try MSALAADAuthority(url: $0, rawTenant: $1) } as (URL, String?) throws -> MSALAADAuthority)
    )
    use(
      "MSALAADAuthority.init(cloudInstance:audienceType:rawTenant:)",
      ({ try MSALAADAuthority(cloudInstance: $0, audienceType: $1, rawTenant: $2) }
        as (MSALAzureCloudInstance, MSALAudienceType, String?) throws -> MSALAADAuthority)
    )
    use(
      "MSALAADAuthority.init(environment:audienceType:rawTenant:)",
      ({ try MSALAADAuthority(environment: $0, audienceType: $1, rawTenant: $2) }
        as (String, MSALAudienceType, String?) throws -> MSALAADAuthority)
    )
    use(casesOf: MSALAudienceType.self)
    use(casesOf: MSALAzureCloudInstance.self)
    use("MSALB2CAuthority.init(url:)", ({ try MSALB2CAuthority(url: $0) } as (URL) throws -> MSALB2CAuthority))
    use("MSALCIAMAuthority.init(url:)", ({ try MSALCIAMAuthority(url: $0) } as (URL) throws -> MSALCIAMAuthority))
    use("MSALADFSAuthority.init(url:)", ({ try MSALADFSAuthority(url: $0) } as (URL) throws -> MSALADFSAuthority))
  }
}
