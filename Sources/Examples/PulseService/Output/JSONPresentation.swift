import Foundation
import Millrace

/// One compact JSON object a line.
struct JSONPresentation: Presentation {
  func text(_ snapshot: Snapshot<PulseState>) -> String {
    StateDocument(snapshot).line
  }
}

extension Encodable {
  /// The object as one line of JSON.
  var line: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else {
      preconditionFailure("A number that is not finite is all an encoder refuses, and gateways let none of them in.")
    }
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}

/// A state as it stands in JSON.
///
/// A member without a value is left out; each name says its unit.
struct StateDocument: Encodable {
  struct Machine: Encodable {
    var cpuPercent: Double?
    var memoryPercent: Double
    var memoryTotalBytes: UInt64
    var memoryAvailableBytes: UInt64
    var diskPercent: Double
    var diskTotalBytes: UInt64
    var diskAvailableBytes: UInt64
    /// Over one, five and fifteen minutes.
    var load: [Double]
    var uptimeSeconds: Double
  }

  struct Target: Encodable {
    var url: String
    /// `probing`, `up`, `down` or `unknown`.
    var status: String
    /// Of the newest probe that ended, if it was answered.
    var latencySeconds: Double?
    /// Of the newest probe that ended, if it was not answered.
    var reason: String?
  }

  struct Alert: Encodable {
    var rule: String
    var subject: String
    /// `ok`, `pending`, `firing` or `resolved`.
    var status: String
    /// Counted as `elapsedSeconds` is.
    var sinceSeconds: Double?
  }

  struct Webhook: Encodable {
    /// Without what stands behind the host.
    var url: String
    var underWay: Int
    /// Owed and not under way.
    var waiting: Int
    var delivered: Int
    /// Attempts that failed.
    var failed: Int
    /// Of the newest attempt that failed.
    var lastFailure: String?
  }

  var revision: Int
  var elapsedSeconds: Double
  /// The wall-clock time of the sample, in UTC.
  var time: String?
  var machine: Machine?
  var machineFailure: String?
  var targets: [Target]
  var alerts: [Alert]
  /// The reason for which the last request to replace the rules failed.
  var rulesFailure: String?
  /// The reason for which the recording has ended, or continues elsewhere.
  var recordingFailure: String?
  /// Left out where there is none.
  var webhooks: [Webhook]?

  init(_ snapshot: Snapshot<PulseState>) {
    let state = snapshot.state
    revision = snapshot.revision
    elapsedSeconds = Self.seconds(state.elapsed)
    time = state.machine.sample.map { Units.time($0.time) }
    machine = state.machine.sample.map(Machine.init)
    machineFailure = state.machine.failure
    targets = state.targets.map { target in
      var latency: Double?
      var reason: String?
      switch target.result {
      case .up(let duration, _): latency = Self.seconds(duration)
      case .down(let words, _): reason = words
      case nil: break
      }
      return Target(url: target.endpoint.name, status: target.word, latencySeconds: latency, reason: reason)
    }
    alerts = state.alerts.map { alert in
      Alert(
        rule: alert.rule.text, subject: alert.subject, status: alert.status.word,
        sinceSeconds: alert.status.since.map(Self.seconds))
    }
    rulesFailure = state.rulesFailure
    recordingFailure = state.recordingFailure
    webhooks = state.receivers.isEmpty ? nil : state.receivers.map(Webhook.init)
  }

  /// Seconds, rounded to a microsecond.
  fileprivate static func seconds(_ duration: Duration) -> Double {
    rounded(duration / .seconds(1), to: 1_000_000)
  }

  /// The number rounded to `parts` parts of one, so that a line has no meaningless digits.
  fileprivate static func rounded(_ number: Double, to parts: Double) -> Double {
    (number * parts).rounded() / parts
  }
}

extension StateDocument.Machine {
  init(_ sample: MachineSample) {
    cpuPercent = sample.cpu.map { StateDocument.rounded($0, to: 10) }
    memoryPercent = StateDocument.rounded(sample.memory.percentUsed, to: 10)
    memoryTotalBytes = sample.memory.total
    memoryAvailableBytes = sample.memory.available
    diskPercent = StateDocument.rounded(sample.disk.percentUsed, to: 10)
    diskTotalBytes = sample.disk.total
    diskAvailableBytes = sample.disk.available
    load = [sample.load.oneMinute, sample.load.fiveMinutes, sample.load.fifteenMinutes]
    uptimeSeconds = StateDocument.seconds(sample.uptime)
  }
}

extension StateDocument.Webhook {
  init(_ receiver: Receiver) {
    url = receiver.webhook.name
    underWay = receiver.underWay
    waiting = receiver.waiting
    delivered = receiver.delivered
    failed = receiver.failed
    lastFailure = receiver.lastFailure
  }
}
