/// A walk over all schedules of a ``HandOver``.
struct HandOverWalk {
  /// What the walk over all schedules has found.
  struct Finding {
    var states = 0
    var ends = 0
    var violation: String?
    /// The threads in the order of their steps up to the violation.
    var schedule: [Int] = []
  }

  let finding: Finding

  /// Walks every state that any schedule leads to, depth first; no more of them than `limit`.
  init(_ start: HandOver, limit: Int = .max) {
    finding = HandOverWalk.walk(start, limit: limit)
  }

  private static func walk(_ start: HandOver, limit: Int) -> Finding {
    var finding = Finding()
    var seen: Set<HandOver.Key> = [start.key]
    var steps: [(before: Int, thread: Int)] = [(-1, -1)]
    var open: [(model: HandOver, step: Int)] = [(start, 0)]
    func report(_ violation: HandOver.Violation, at step: Int) -> Finding {
      finding.violation = violation.description
      var step = step
      while step > 0 {
        finding.schedule.insert(steps[step].thread, at: 0)
        step = steps[step].before
      }
      return finding
    }
    while finding.states < limit, let (model, step) = open.popLast() {
      finding.states += 1
      let running = model.running
      if model.isOver {
        finding.ends += 1
        do { try model.checkEnd() } catch { return report(error, at: step) }
        continue
      }
      var isStuck = true
      let key = model.key
      for thread in running {
        var next = model
        do {
          try next.step(thread)
        } catch {
          steps.append((step, thread))
          return report(error, at: steps.count - 1)
        }
        let nextKey = next.key
        if nextKey == key { continue }  // A look that found nothing new.
        isStuck = false
        guard seen.insert(nextKey).inserted else { continue }
        steps.append((step, thread))
        open.append((next, steps.count - 1))
      }
      if isStuck { return report(HandOver.Violation(description: "threads \(running) wait for ever"), at: step) }
    }
    return finding
  }
}
