import MillraceFlags

/// A faulty condition of a target.
enum TargetCondition: Codable, Sendable, Hashable {
  /// The target does not answer, or answers with a failure.
  case down
  /// The target takes longer to answer.
  case slower(than: Duration)
  /// The status of its answer stands so to a number.
  case status(AlertRule.Comparison, Int)
  /// A certificate of its server expires within a time, has expired, or has no date that can be read.
  case certificate(expiresWithin: Duration)

  /// The judgement of a probe on the condition.
  struct Observation: Equatable {
    let isMet: Bool
    /// The compared number: 1 or 0 for up or down, the latency in seconds, the status.
    let value: Double
  }

  /// Compares the result of a probe; nil where that says nothing about the condition, such as the speed of a target that is down.
  func observation(of result: Target.Result) -> Observation? {
    switch (self, result) {
    case (.down, _):
      Observation(isMet: result.isDown, value: result.isDown ? 0 : 1)
    case (.slower(let limit), .up(let latency, _)):
      Observation(isMet: latency > limit, value: latency / .seconds(1))
    case (.status(let comparison, let number), .up(_, let status?)),
      (.status(let comparison, let number), .down(_, let status?)):
      Observation(isMet: comparison.holds(Double(status), Double(number)), value: Double(status))
    case (.slower, .down), (.status, .up(_, nil)), (.status, .down(_, nil)), (.certificate, _):
      nil
    }
  }
}

extension CertificateReading {
  /// Whether a certificate expires within a time, or may: one without a date that can be read is no reason to be calm.
  func expires(within limit: Duration) -> Bool {
    if case .expires(let rest) = self { rest <= limit } else { true }
  }

  /// The number of days until the first certificate expires; nil where it cannot be read.
  var days: Double? {
    if case .expires(let rest) = self { rest / .seconds(86_400) } else { nil }
  }

  /// The reading in words: `the certificate expires in 13 d 4 h`.
  var words: String {
    switch self {
    case .expires(.zero): "the certificate has expired; renew it"
    case .expires(let rest): "the certificate expires in \(Units.age(rest))"
    case .unreadable: "the date at which the certificate expires cannot be read"
    }
  }
}

/// The names that rules give to the targets of a plan.
struct TargetNames: Sendable {
  private let names: Set<String>
  /// The names of the targets that have certificates.
  private let secureNames: Set<String>
  private let namesByKind: [Endpoint.Kind: String]

  init(_ endpoints: [Endpoint]) {
    names = Set(endpoints.map(\.name))
    secureNames = Set(endpoints.filter(\.hasCertificate).map(\.name))
    namesByKind = Dictionary(endpoints.map { ($0.kind, $0.name) }, uniquingKeysWith: { first, _ in first })
  }

  var isEmpty: Bool { names.isEmpty }

  /// Whether the target of this name has certificates; without a name, whether any has.
  func hasCertificate(_ name: String?) -> Bool { name.map(secureNames.contains) ?? !secureNames.isEmpty }

  /// The name of the target that a rule calls by its URL or by its name; nil if no such target is watched.
  func name(of text: String) -> String? {
    if names.contains(text) { return text }
    return (try? Endpoint(text)).flatMap { namesByKind[$0.kind] }
  }
}

extension AlertRule {
  /// Reads a rule about one of these targets, or about this machine, and calls its target by the name that may be shown.
  ///
  /// - Throws: ``AlertRuleError``, also for a target that is not watched: its rule would never fire.
  init(_ text: String, about targets: TargetNames) throws(AlertRuleError) {
    var problem: AlertRuleError?
    let rule = try AlertRule(text) { url in
      if let name = targets.name(of: url) { return name }
      let shown = Self.nameOfAnyTarget(url)
      problem = AlertRuleError(
        "is about a target that is not watched", fix: "add --watch \(FlagError.quoted(shown))")
      return shown
    }
    if case .target(nil, _) = rule.condition, targets.isEmpty {
      problem = AlertRuleError("needs a target", fix: "add for example --watch http://localhost:8080")
    } else if case .target(let name, .certificate) = rule.condition, problem == nil, !targets.hasCertificate(name) {
      problem = AlertRuleError(
        "is about a certificate, which only a target by https:// has",
        fix: "add for example --watch https://localhost:8443")
    }
    if let problem { throw problem }
    self = rule
  }

  /// The name of a target of which nothing but its URL is known.
  static func nameOfAnyTarget(_ url: String) -> String {
    (try? Endpoint(url))?.name ?? RedactedURL.broken(url)
  }
}
