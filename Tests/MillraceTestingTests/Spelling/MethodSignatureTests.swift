#if DEBUG
  import Testing

  @testable import MillraceTesting

  @Suite("MethodSignature")
  struct MethodSignatureTests {
    private static let file = "_EFF83A1F47B777EA672D48C97C71346F"

    @Test(
      "A method is taken apart, wherever its type stands",
      arguments: [
        ("A.Box.plan(A.Box.Action) -> Millrace.Plan", "A.Box", "plan(_:)", ["A.Box.Action"]),
        ("A.Box.plan(for: __owned A.Act) -> Millrace.Plan", "A.Box", "plan(for:)", ["A.Act"]),
        ("A.Box.stop() -> ()", "A.Box", "stop()", []),
        ("A.Box.(stop in \(file))() -> ()", "A.Box", "stop()", []),
        ("A.(Box in \(file)).stop(A.(Act in \(file))) -> ()", "A.(Box in \(file))", "stop(_:)", ["A.Act"]),
        ("(extension in B):A.Box.stop(at: Swift.Int) -> ()", "A.Box", "stop(at:)", ["Swift.Int"]),
        (
          "A.Box.go(_: (a: Swift.Int, b: () -> ()), by: Swift.Dictionary<A, B>) async throws(A.E) -> C<D>", "A.Box",
          "go(_:by:)", ["(a: Swift.Int, b: () -> ())", "Swift.Dictionary<A, B>"]
        ),
        (
          "close(Act in Box #1 in A.make() -> Any.Type, at: Swift.Int) -> () in Box #1 in A.make() -> Any.Type",
          "Box #1 in A.make() -> Any.Type", "close(_:at:)", ["Act in Box #1 in A.make() -> Any.Type", "Swift.Int"]
        ),
        (
          "close(Act in Box #1 in A.made.getter : A.Kind) -> () in Box #1 in A.made.getter : A.Kind",
          "Box #1 in A.made.getter : A.Kind", "close(_:)", ["Act in Box #1 in A.made.getter : A.Kind"]
        ),
      ])
    func aMethodIsTakenApart(text: String, type: String, fullName: String, parameters: [String]) throws {
      let method = try #require(MethodSignature(demangled: text, of: withoutDiscriminators(type)))
      #expect(method.fullName == fullName)
      #expect(method.parameters == parameters)
    }

    @Test(
      "It says whether the method is static, async, throwing, generic or in a constrained extension, and what it returns",
      arguments: [
        ("A.Box.go() -> ()", "()", []),
        ("static A.Box.go() -> Swift.Int", "Swift.Int", ["static"]),
        ("A.Box.go() async -> Swift.Optional<A.B>", "Swift.Optional<A.B>", ["async"]),
        ("A.Box.go() throws(A.E) -> () -> ()", "() -> ()", ["throws"]),
        ("A.Box.go<A where A: B.C, A.D == () -> ()>(A) async throws -> A", "A", ["generic", "async", "throws"]),
        ("static (extension in A):A.Box<A where A == Swift.Int>.go() -> ()", "()", ["static", "constrained"]),
      ] as [(String, String, [String])])
    func itSaysWhatKindTheMethodIs(text: String, result: String, kinds: [String]) throws {
      let method = try #require(MethodSignature(demangled: text, of: "A.Box"))
      let found = [
        "static": method.isStatic, "async": method.isAsync, "throws": method.isThrowing, "generic": method.isGeneric,
        "constrained": method.isConstrained,
      ]
      #expect(method.result == result)
      #expect(found.filter(\.value).keys.sorted() == kinds.sorted())
    }

    @Test(
      "Anything else than a method of the type is left out",
      arguments: [
        "", "(", "static ", "A.Box", "A.Box.", "A.Box.go", "A.Box.go(", "A.Box.go()", "A.Box.go<", "(extension in A",
        "A.Boxes.go() -> ()", "A.Box.Inner.go() -> ()", "A.Box<A>.Inner.go() -> ()", "B.Box.go() -> ()",
        "A.Box.plan.getter : Millrace.Plan",
        "static A.Box.== infix(A.Box, A.Box) -> Swift.Bool", "helper #1 () -> () in A.Box.go() -> ()",
        "closure #1 () -> () in A.Box.go() -> ()",
        "protocol witness for A.P.go() -> () in conformance A.Box : A.P in A", "nominal type descriptor for A.Box",
        " in _ in A.Box", "A.Box.(go in _))(", "A.Box.go)(<>-> -> ",
      ])
    func anythingElseIsLeftOut(text: String) {
      #expect(MethodSignature(demangled: text, of: "A.Box") == nil)
    }
  }
#endif
