#if DEBUG
  /// Finds the methods of an interactor that look like an ``OptionalRequirement`` and are not.
  ///
  /// The compiler says nothing of them: they are overloads beside the default. Doubtful cases are not reported. So a
  /// near miss has to look the part: it has the name or nearly so, it takes the action, and it has the type that nothing but
  /// the requirement is for: a `Decision` or a `Plan` as its result, an `Outcome` among its parameters.
  struct NearMisses {
    /// The types of an interactor in words, as far as the program that runs knows them.
    struct Types {
      /// The interactor, as its methods name it: "Notes.Records".
      var interactor: String
      /// Whether the interactor or a type around it has type parameters, which its methods name otherwise than the program.
      var isGeneric = false
      var action: String
      var mutation: String
      var state: String
    }

    private let interactor: String
    private let methods: [MethodSignature]
    private let action: Known
    private let mutation: Known
    private let state: Known

    /// Looks at the methods among `demangled`.
    init(of types: Types, among demangled: [String]) {
      let interactor = String(withoutExtensions(withoutDiscriminators(types.interactor)[...]))
      let methods = demangled.compactMap { MethodSignature(demangled: $0, of: interactor) }
      let handlers = methods.filter { $0.fullName == "handle(_:state:)" && !$0.isStatic && !$0.isGeneric }
      let reducers = methods.filter { $0.fullName == "reduce(into:mutation:)" && $0.isStatic && !$0.isGeneric }
      self.interactor = interactor
      self.methods = methods
      func known(_ type: String, _ used: [String]) -> Known {
        Known(type, isGeneric: types.isGeneric, usedBy: used)
      }
      action = known(types.action, handlers.map { $0.parameters[0] })
      mutation = known(types.mutation, reducers.map { $0.parameters[1] })
      state = known(types.state, reducers.map { $0.parameters[0] })
    }

    /// One sentence for each near miss, which names it and says the fix.
    var sentences: [String] {
      OptionalRequirement.allCases.flatMap { requirement in
        if methods.contains(where: { mayBe($0, requirement) }) { return [String]() }
        return Set(methods.filter { isNear($0, requirement) }.map { sentence($0, requirement) }).sorted()
      }
    }

    // MARK: The real one

    /// Whether the method may be the requirement itself, as far as one can tell.
    private func mayBe(_ method: MethodSignature, _ requirement: OptionalRequirement) -> Bool {
      guard method.fullName == requirement.fullName, !method.isStatic, !method.isAsync, !method.isThrowing else {
        return false
      }
      return method.isGeneric || (mayTake(method, requirement) && mayReturn(method, requirement))
    }

    private func mayTake(_ method: MethodSignature, _ requirement: OptionalRequirement) -> Bool {
      guard method.parameters.count == requirement.labels.count, action.mayBe(method.parameters[0]) else {
        return false
      }
      return switch requirement {
      case .decide, .plan: state.mayBe(method.parameters[1])
      case .closing: method.parameters[1] == Own.outcome
      }
    }

    private func mayReturn(_ method: MethodSignature, _ requirement: OptionalRequirement) -> Bool {
      switch requirement {
      case .decide: argument(of: Own.decision, in: method.result).map(mutation.mayBe) ?? false
      case .plan: method.result == Own.plan
      case .closing: argument(of: Own.optional, in: method.result).map(mutation.mayBe) ?? false
      }
    }

    // MARK: The others

    private func isNear(_ method: MethodSignature, _ requirement: OptionalRequirement) -> Bool {
      guard !method.isGeneric, !method.isConstrained, looksThePart(method, requirement) else { return false }
      let takesAction = method.parameters.contains(where: action.isSurely)
      return switch requirement.likeness(of: method.name) {
      case .same: takesAction || method.labels == requirement.labels
      case .misspelt: takesAction
      case .akin: takesAction && mayTake(method, requirement) && !method.isAsync && !method.isThrowing
      case .other: false
      }
    }

    private func looksThePart(_ method: MethodSignature, _ requirement: OptionalRequirement) -> Bool {
      switch requirement {
      case .decide:
        return argument(of: Own.decision, in: unwrapped(method.result)) != nil
      case .plan:
        return unwrapped(method.result) == Own.plan
      case .closing:
        let result = argument(of: Own.array, in: method.result) ?? unwrapped(method.result)
        return mutation.isSurely(result)
          && (method.parameters.contains { unwrapped($0) == Own.outcome } || method.fullName == requirement.fullName)
      }
    }

    private func sentence(_ method: MethodSignature, _ requirement: OptionalRequirement) -> String {
      let what =
        if method.fullName != requirement.fullName {
          "\(requirement.fullName) and is not"
        } else if method.isStatic {
          "and is static"
        } else if method.isAsync {
          "and is async"
        } else if method.isThrowing {
          "and throws"
        } else if !mayReturn(method, requirement) {
          "and returns another type"
        } else {
          "and takes other types"
        }
      let scope = interactor.prefix { $0 != " " }.drop { $0 != "." }.dropFirst()
      let name = scope.isEmpty ? interactor.prefix { $0 != " " } : scope
      return "\(name).\(method.fullName) looks like Interactor's \(what), so the default is used; "
        + "spell it `\(requirement.declaration)`, or rename it."
    }
  }

  /// The spellings of one of the interactor's types.
  private struct Known {
    private let spellings: Set<String>

    /// Whether methods spell it as the program does, so that a type that is spelt otherwise is another one.
    ///
    /// They do not for generic, private and local types; of tuples, functions and existentials one is not sure.
    private let isPlain: Bool

    /// The type as the program spells it, and as the methods do that are likely to take it.
    init(_ type: String, isGeneric: Bool, usedBy used: [String]) {
      isPlain = !isGeneric && type.allSatisfy { $0.isLetter || $0.isNumber || "_.<>, ".contains($0) }
      spellings = Set(isPlain ? used + [type] : used)
    }

    /// Whether it is this type.
    func isSurely(_ type: String) -> Bool {
      spellings.contains(type)
    }

    /// Whether nothing speaks against its being this type.
    func mayBe(_ type: String) -> Bool {
      !isPlain || isSurely(type)
    }
  }

  /// The types that tell a requirement from other methods.
  private enum Own {
    static let plan = "Millrace.Plan"
    static let outcome = "Millrace.Outcome"
    static let decision = "Millrace.Decision"
    static let optional = "Swift.Optional"
    static let array = "Swift.Array"
  }

  /// The text in the angle brackets of `type` if it is a `generic`.
  private func argument(of generic: String, in type: String) -> String? {
    guard type.hasPrefix("\(generic)<"), type.hasSuffix(">") else { return nil }
    return String(type.dropFirst(generic.count + 1).dropLast())
  }

  private func unwrapped(_ type: String) -> String {
    argument(of: Own.optional, in: type) ?? type
  }
#endif
