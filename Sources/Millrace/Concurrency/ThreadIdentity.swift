public import MillraceSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A number that tells the running thread from every other one that lives; even, and never 0.
@inlinable
@inline(__always)
func currentThread() -> UInt {
  UInt(millrace_thread())
}

/// Yields this processor to another thread.
func yieldProcessor() {
  _ = sched_yield()
}

/// Spends some nanoseconds for each pause without touching memory: each look at a contended word delays its holder.
func pause(_ turns: Int) {
  for _ in 0..<turns { millrace_pause() }
}
