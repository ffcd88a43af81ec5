/// Certificates of tests, all of one key, by OpenSSL (`openssl ca -startdate … -enddate …`); those that are valid are so from 2020 to 2120.
public enum Certificate: String, Sendable, CaseIterable {
  /// A certificate for `a.loop` and 127.0.0.1.
  case valid
  /// The same, which has expired.
  case expired
  /// The same, which is not valid yet.
  case notYetValid
  /// A certificate for `other.loop`.
  case otherHost
  /// A certificate for `a.loop` that its own key has signed.
  case selfSigned
  /// A certificate whose validity has ended in the year 1000, which libcurl does not read.
  case ancient

  /// The text in PEM.
  public var pem: String {
    switch self {
    case .valid: Self.validPEM
    case .expired: Self.expiredPEM
    case .notYetValid: Self.notYetValidPEM
    case .otherHost: Self.otherHostPEM
    case .selfSigned: Self.selfSignedPEM
    case .ancient: Self.ancientPEM
    }
  }

  /// The certificate of the issuer of all but the self-signed one.
  public static let issuer = """
    -----BEGIN CERTIFICATE-----
    MIIBYTCCAQegAwIBAgIBATAKBggqhkjOPQQDAjAfMR0wGwYDVQQDDBRNaWxscmFj
    ZSBUZXN0IElzc3VlcjAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFow
    HzEdMBsGA1UEAwwUTWlsbHJhY2UgVGVzdCBJc3N1ZXIwWTATBgcqhkjOPQIBBggq
    hkjOPQMBBwNCAATfyS0Mouoa5Gn68ESNs4KOtiQtDXFiIJZ01BbOUvE6LiUfTPzq
    OmdMxbdCYIVthO/1FPFp4mLcGAnVsOjeyW7GozIwMDAPBgNVHRMBAf8EBTADAQH/
    MB0GA1UdDgQWBBTdtLtZt2UZwTzJiOf+x/g38xC0HDAKBggqhkjOPQQDAgNIADBF
    AiEA+979s51UddgrjrIe1ZjVVNhcXlGyNtiSymVYSJeLmacCIFsRas6YSbjDkrqQ
    iQ4L74Q8jwa3h6BD9j6x2muvs4/G
    -----END CERTIFICATE-----
    """

  /// The key of all certificates, which is of no use but here.
  public static let key = """
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIOCVkBuVXEBjvA+ceJe+xJFOJ0XJYxsXcYc7s0CRgCrzoAoGCCqGSM49
    AwEHoUQDQgAE38ktDKLqGuRp+vBEjbOCjrYkLQ1xYiCWdNQWzlLxOi4lH0z86jpn
    TMW3QmCFbYTv9RTxaeJi3BgJ1bDo3sluxg==
    -----END EC PRIVATE KEY-----
    """

  private static let validPEM = """
    -----BEGIN CERTIFICATE-----
    MIIBXDCCAQGgAwIBAgIBAzAKBggqhkjOPQQDAjAfMR0wGwYDVQQDDBRNaWxscmFj
    ZSBUZXN0IElzc3VlcjAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFow
    ETEPMA0GA1UEAwwGYS5sb29wMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE38kt
    DKLqGuRp+vBEjbOCjrYkLQ1xYiCWdNQWzlLxOi4lH0z86jpnTMW3QmCFbYTv9RTx
    aeJi3BgJ1bDo3sluxqM6MDgwFwYDVR0RBBAwDoIGYS5sb29whwR/AAABMB0GA1Ud
    DgQWBBTdtLtZt2UZwTzJiOf+x/g38xC0HDAKBggqhkjOPQQDAgNJADBGAiEAiYrl
    PhDlAGhrO7Vi4ITl8p7+xn+6Ajt1OQp+QfLL3n8CIQCA9G0N4KNo1p6iOzpBl4QD
    yevXZ4WSBJUSD5SmTaoOuA==
    -----END CERTIFICATE-----
    """

  private static let expiredPEM = """
    -----BEGIN CERTIFICATE-----
    MIIBWDCB/6ADAgECAgEEMAoGCCqGSM49BAMCMB8xHTAbBgNVBAMMFE1pbGxyYWNl
    IFRlc3QgSXNzdWVyMB4XDTAxMDEwMTAwMDAwMFoXDTAyMDEwMTAwMDAwMFowETEP
    MA0GA1UEAwwGYS5sb29wMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE38ktDKLq
    GuRp+vBEjbOCjrYkLQ1xYiCWdNQWzlLxOi4lH0z86jpnTMW3QmCFbYTv9RTxaeJi
    3BgJ1bDo3sluxqM6MDgwFwYDVR0RBBAwDoIGYS5sb29whwR/AAABMB0GA1UdDgQW
    BBTdtLtZt2UZwTzJiOf+x/g38xC0HDAKBggqhkjOPQQDAgNIADBFAiEA+2H+Y5nc
    pXkKSAwO2NNG9qypMKV84LoTDGrvYS39uDwCIAdXA8ACqq5+2ggVVKTjlL7ce7IA
    5Tr4Lfpq0A8aayEU
    -----END CERTIFICATE-----
    """

  private static let notYetValidPEM = """
    -----BEGIN CERTIFICATE-----
    MIIBXTCCAQOgAwIBAgIBBTAKBggqhkjOPQQDAjAfMR0wGwYDVQQDDBRNaWxscmFj
    ZSBUZXN0IElzc3VlcjAiGA8yMTEwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAw
    WjARMQ8wDQYDVQQDDAZhLmxvb3AwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATf
    yS0Mouoa5Gn68ESNs4KOtiQtDXFiIJZ01BbOUvE6LiUfTPzqOmdMxbdCYIVthO/1
    FPFp4mLcGAnVsOjeyW7GozowODAXBgNVHREEEDAOggZhLmxvb3CHBH8AAAEwHQYD
    VR0OBBYEFN20u1m3ZRnBPMmI5/7H+DfzELQcMAoGCCqGSM49BAMCA0gAMEUCIAqI
    hjZwAo3Qs3T+raVSg63kCkfE5nwV2qiuNsGAw45MAiEAi7TvyvZMyOy+Jn1yLC6p
    lB1MCP0aP90S584hz4pP7ic=
    -----END CERTIFICATE-----
    """

  private static let otherHostPEM = """
    -----BEGIN CERTIFICATE-----
    MIIBWTCB/6ADAgECAgEGMAoGCCqGSM49BAMCMB8xHTAbBgNVBAMMFE1pbGxyYWNl
    IFRlc3QgSXNzdWVyMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAR
    MQ8wDQYDVQQDDAZhLmxvb3AwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATfyS0M
    ouoa5Gn68ESNs4KOtiQtDXFiIJZ01BbOUvE6LiUfTPzqOmdMxbdCYIVthO/1FPFp
    4mLcGAnVsOjeyW7GozgwNjAVBgNVHREEDjAMggpvdGhlci5sb29wMB0GA1UdDgQW
    BBTdtLtZt2UZwTzJiOf+x/g38xC0HDAKBggqhkjOPQQDAgNJADBGAiEAx+4y1qyC
    mQYDRtxidlxzI4d0E50Y10lffPI4xa5QVdkCIQDaWKeTFgI1+i/Izf3dHpIP7sHE
    +7M+UiAX+e6rfXkplQ==
    -----END CERTIFICATE-----
    """

  private static let selfSignedPEM = """
    -----BEGIN CERTIFICATE-----
    MIIBTTCB86ADAgECAgECMAoGCCqGSM49BAMCMBExDzANBgNVBAMMBmEubG9vcDAg
    Fw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowETEPMA0GA1UEAwwGYS5s
    b29wMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE38ktDKLqGuRp+vBEjbOCjrYk
    LQ1xYiCWdNQWzlLxOi4lH0z86jpnTMW3QmCFbYTv9RTxaeJi3BgJ1bDo3sluxqM6
    MDgwFwYDVR0RBBAwDoIGYS5sb29whwR/AAABMB0GA1UdDgQWBBTdtLtZt2UZwTzJ
    iOf+x/g38xC0HDAKBggqhkjOPQQDAgNJADBGAiEA0jkJ89IBhnPqKeTz8Vj4AObq
    6Y4aKYdmX4CzzFL2rigCIQDrW0Dce4gmWb64B3lSJuwy05OmFSYENSANx09NFavt
    jw==
    -----END CERTIFICATE-----
    """

  private static let ancientPEM = """
    -----BEGIN CERTIFICATE-----
    MIIBHTCBxAIBBzAKBggqhkjOPQQDAjAfMR0wGwYDVQQDDBRNaWxscmFjZSBUZXN0
    IElzc3VlcjAiGA8wOTAwMDEwMTAwMDAwMFoYDzEwMDAwMTAxMDAwMDAwWjATMREw
    DwYDVQQDDAhvbGQubG9vcDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABN/JLQyi
    6hrkafrwRI2zgo62JC0NcWIglnTUFs5S8TouJR9M/Oo6Z0zFt0JghW2E7/UU8Wni
    YtwYCdWw6N7JbsYwCgYIKoZIzj0EAwIDSAAwRQIgL01pLd9v4ErI9YjRvlv+Q0Yp
    hviaju+EbNYS9dvVpc8CIQDsI5zkmtzTCdLMh5FkbwXj7DQMLFjKbDtT9tTdlI1q
    HQ==
    -----END CERTIFICATE-----
    """
}
