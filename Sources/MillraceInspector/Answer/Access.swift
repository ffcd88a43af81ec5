import Foundation

/// The requests that are refused whatever they ask for.
///
/// **Names.** A web page may have its own name resolve to this machine, and read the answers then. So the header `Host` has to be an address,
/// `localhost`, or a name that the program has given; and a header `Origin`, which browsers send for the scripts of other pages, has to name the same host.
struct Access: Sendable {
  let hosts: Set<String>
  let token: String?

  init(hosts: [String], token: String?) {
    self.hosts = Set(hosts.map { $0.lowercased() })
    self.token = token
  }

  /// The refusal of a request; nil if it may be answered.
  func refusal(of request: InspectorRequest) -> InspectorResponse? {
    guard request.method == "GET" || request.method == "HEAD" else {
      var response = InspectorResponse(405, "The inspector only shows, and answers GET and HEAD.\n")
      response.headers = [("Allow", "GET, HEAD")]
      return response
    }
    guard request.headers["content-length"].map({ $0 == "0" }) ?? true, request.headers["transfer-encoding"] == nil
    else {
      return InspectorResponse(413, "A request to the inspector has no body.\n")
    }
    // A client of HTTP/1.0, such as the check of a load balancer, may send none; a browser does.
    guard let host = request.headers["host"] else {
      return request.headers["origin"].map { _ in Self.otherPage }
    }
    guard isKnown(host) else {
      return InspectorResponse(
        421,
        "The header 'Host' is neither an address nor a name that the inspector has; add it to 'hosts' of the options.\n"
      )
    }
    if let origin = request.headers["origin"], !isSame(origin, host) {
      return Self.otherPage
    }
    return nil
  }

  private static let otherPage = InspectorResponse(403, "The request comes from a page of another host.\n")

  /// The refusal of a request that needs the token; nil if it has it, or none is set.
  func refusalWithoutToken(_ request: InspectorRequest) -> InspectorResponse? {
    guard let token else { return nil }
    let given = request.headers["authorization"].flatMap { value -> String? in
      let parts = value.split(separator: " ", maxSplits: 1)
      return parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : nil
    }
    if let given, Self.areEqual(given, token) { return nil }
    var response = InspectorResponse(401, "This page needs the header 'Authorization: Bearer TOKEN'.\n")
    response.headers = [("WWW-Authenticate", "Bearer")]
    return response
  }

  /// Whether two texts have the same bytes, in a time that depends on the length of the first only.
  static func areEqual(_ given: String, _ token: String) -> Bool {
    let (given, token) = (Array(given.utf8), Array(token.utf8))
    var difference = UInt(bitPattern: given.count ^ token.count)
    for index in given.indices {
      difference |= UInt(given[index] ^ (index < token.count ? token[index] : ~given[index]))
    }
    return difference == 0
  }

  private func isKnown(_ host: String) -> Bool {
    let name = Self.name(of: host).lowercased()
    return name == "localhost" || hosts.contains(name) || Self.isAddress(name)
  }

  /// Whether an origin, such as `http://localhost:8080`, is that of the host.
  private func isSame(_ origin: String, _ host: String) -> Bool {
    for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
      return origin.dropFirst(scheme.count).lowercased() == host.lowercased()
    }
    return false
  }

  /// The host without its port.
  private static func name(of host: String) -> String {
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]) }
    return String(host.prefix { $0 != ":" })
  }

  /// Whether a name is an IPv4 address, or an IPv6 address in brackets.
  private static func isAddress(_ name: String) -> Bool {
    var (four, six) = (in_addr(), in6_addr())
    if name.hasPrefix("["), name.hasSuffix("]") {
      return inet_pton(AF_INET6, String(name.dropFirst().dropLast()), &six) == 1
    }
    return inet_pton(AF_INET, name, &four) == 1
  }
}
