import Foundation
import MillraceLoopback

// An HTTP responder as a process of its own: prints its port, and answers each request after the milliseconds given as its
// argument, until its standard input ends.
let delay = Duration.milliseconds(Int(CommandLine.arguments.dropFirst().first ?? "") ?? 0)
let responder = try LoopbackResponder { [delay] _ in .answer(after: delay) }
print(responder.port)
fflush(nil)
_ = readLine()
responder.stop()
