#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The number of files, connections included, that this process may have open at the same time.
struct OpenFiles: Sendable, Equatable {
  /// The most that may be open.
  var limit: Int

  /// Raises the limit as far as the system allows, and gives what it is then; nil when the system does not say.
  ///
  /// The limit of many systems is 1,024 so that programs of old, which count files by bits, are not surprised.
  static func raised() -> OpenFiles? {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    var limits = rlimit()
    guard getrlimit(resource, &limits) == 0 else { return nil }
    if limits.rlim_cur < limits.rlim_max {
      var raised = limits
      raised.rlim_cur = limits.rlim_max
      if setrlimit(resource, &raised) == 0 { limits = raised }
    }
    return OpenFiles(limit: Int(clamping: limits.rlim_cur))
  }

  /// The descriptors that a plan needs at its busiest: some for pulse itself, and for each URL a look-up and two connections.
  static func needed(for plan: MonitoringService.Plan) -> Int {
    32 + 3 * (plan.endpoints.count + plan.webhooks.count)
  }

  /// The sentence to say when the limit is too low for a plan; nil when it is not.
  func shortage(for plan: MonitoringService.Plan) -> String? {
    let needed = Self.needed(for: plan)
    guard limit < needed else { return nil }
    return
      "pulse may open \(limit) files and needs up to \(needed) for \(plan.endpoints.count + plan.webhooks.count) URLs, "
      + "so that some may be shown as down; raise the limit (ulimit -Hn \(needed)) or give it fewer URLs."
  }
}
