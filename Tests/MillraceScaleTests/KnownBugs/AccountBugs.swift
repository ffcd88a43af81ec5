import Millrace
import MillraceTesting

/// Values that several tasks read and change.
extension KnownBug {
  static let accounts = [
    KnownBug(
      name: "Overdraft", need: .idleActor,
      harm: "An account checks its balance before a call and pays after it"
    ) { world, isBroken in
      let account = Account(balance: 100, isBroken: isBroken)
      await withTaskGroup { group in
        for _ in 0..<2 { group.addTask { await account.withdraw(60) } }
      }
      world.expect(await account.balance >= 0, "no more is withdrawn than there is")
    },

    KnownBug(
      name: "Half a transfer", need: .idleActor,
      harm: "A report adds the balances while a transfer has changed one of them"
    ) { world, isBroken in
      let (bank, auditor) = (Bank(), Auditor())
      await withTaskGroup { group in
        group.addTask {
          if isBroken {
            await bank.add(-30, to: 0)
            await auditor.note(30)
            await bank.add(30, to: 1)
          } else {
            await bank.transfer(30, from: 0, to: 1)
            await auditor.note(30)
          }
        }
        group.addTask { world.expect(await bank.sum == 200, "a transfer does not change the sum") }
      }
    },

    KnownBug(
      name: "Quota overrun", need: .idleActor,
      harm: "Two requests read the same count, and each of them writes it back with one more"
    ) { world, isBroken in
      let counts = RequestCounts()
      let admitted = await withTaskGroup { group in
        for _ in 0..<4 {
          group.addTask {
            if !isBroken { return await counts.increase(below: 2) }
            let count = await counts.count
            guard count < 2 else { return false }
            await counts.set(count + 1)
            return true
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      world.expect(admitted == 2, "the quota admits two requests")
    },

    KnownBug(
      name: "Check before send", need: .idleActor,
      harm: "Two doctors each see the other one on call, and both leave"
    ) { world, isBroken in
      let calendar = Calendar()
      let store = Store(initial: [0, 1], interactor: Ward(isBroken: isBroken), configuration: world.configuration)
      world.always("a doctor is on call", of: store) { !$0.isEmpty }
      await withTaskGroup { group in
        for doctor in 0..<2 {
          group.addTask {
            guard await store.state.count > 1 else { return }
            await calendar.note(doctor)
            store.send(doctor)
          }
        }
      }
    },

    KnownBug(
      name: "Unchecked third attempt", need: .threeChanges,
      harm: "A writer that met two conflicts writes its third attempt unconditionally"
    ) { world, isBroken in
      let record = VersionedRecord()
      await withTaskGroup { group in
        for _ in 0..<4 {
          group.addTask {
            for attempt in 1... {
              let (value, version) = await record.read()
              let expected = isBroken && attempt == 3 ? nil : version
              if await record.write(value + 1, ifVersion: expected) { return }
            }
          }
        }
      }
      world.expect(await record.read().value == 4, "no update is lost")
    },

    KnownBug(
      name: "Unchecked second reading", need: .threeChanges,
      harm: "A reader whose reading was torn takes the next reading without a check"
    ) { world, isBroken in
      let (settings, auditor) = (Settings(), Auditor())
      await withTaskGroup { group in
        group.addTask {
          for version in 1...2 {
            await settings.set(version)
            await auditor.note(version)
          }
        }
        group.addTask {
          for reading in 1... {
            let host = await settings.host
            await auditor.note(host.version)
            let port = await settings.port
            if host.version != port.version, !isBroken || reading == 1 { continue }
            return world.expect(host.version == port.version, "a reader has the host and the port of one version")
          }
        }
      }
    },
  ]
}

/// An account that asks an auditor before it pays.
private actor Account {
  private let auditor = Auditor()
  private let isBroken: Bool
  private(set) var balance: Int

  init(balance: Int, isBroken: Bool) {
    (self.balance, self.isBroken) = (balance, isBroken)
  }

  func withdraw(_ amount: Int) async {
    guard balance >= amount else { return }
    await auditor.note(amount)
    guard isBroken || balance >= amount else { return }
    balance -= amount
  }
}

/// Notes numbers; it is idle whenever a task calls it.
private actor Auditor {
  private var amounts: [Int] = []

  func note(_ amount: Int) {
    amounts.append(amount)
  }
}

/// Two accounts with 100 each.
private actor Bank {
  private var balances = [100, 100]

  var sum: Int { balances[0] + balances[1] }

  func add(_ amount: Int, to account: Int) {
    balances[account] += amount
  }

  func transfer(_ amount: Int, from source: Int, to target: Int) {
    add(-amount, to: source)
    add(amount, to: target)
  }
}

/// Counts the admitted requests.
private actor RequestCounts {
  private(set) var count = 0

  func set(_ count: Int) {
    self.count = count
  }

  func increase(below limit: Int) -> Bool {
    guard count < limit else { return false }
    count += 1
    return true
  }
}

/// The doctors on call; an action takes a doctor off call.
private struct Ward: Interactor {
  let isBroken: Bool

  func decide(_ doctor: Int, state: [Int]) -> Decision<Int> {
    isBroken || state.count > 1 ? .mutate(doctor) : .ignore
  }

  func handle(_ doctor: Int, state: [Int]) async -> Effect<Self> { .none }

  static func reduce(into state: inout [Int], mutation doctor: Int) {
    state.removeAll { $0 == doctor }
  }
}

/// Notes the doctors who want to leave.
private actor Calendar {
  private var doctors: [Int] = []

  func note(_ doctor: Int) {
    doctors.append(doctor)
  }
}

/// A value whose version grows with each write.
private actor VersionedRecord {
  private var (value, version) = (0, 0)

  func read() -> (value: Int, version: Int) { (value, version) }

  /// Writes a value, and returns true; returns false if the record has another version than the expected one.
  func write(_ value: Int, ifVersion expected: Int?) -> Bool {
    if let expected, expected != version { return false }
    self.value = value
    version += 1
    return true
  }
}

/// Settings of two parts, which are set together and read one after the other.
private actor Settings {
  private var version = 0

  var host: (name: String, version: Int) { ("host-\(version)", version) }
  var port: (number: Int, version: Int) { (8_000 + version, version) }

  func set(_ version: Int) {
    self.version = version
  }
}
