// Durations as Go writes them, which is how the OAuth2 server does: `3600s` in, `1h0m0s` out. Pure.

const SECONDS_OF = { h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, μs: 1e-6, ns: 1e-9 } as const

// `ms` before `m`: the first alternative that fits is taken.
const PART = /(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|μs|ns)/gu
const WHOLE = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us|µs|μs|ns))+)$/u

/** The duration in whole seconds, cut towards zero; undefined for text that is no Go duration. */
export function parseGoDuration(text: string): number | undefined {
  if (text === '0') return 0
  const [, sign, parts] = WHOLE.exec(text) ?? []
  if (parts === undefined) return undefined
  let seconds = 0
  for (const [, amount, unit] of parts.matchAll(PART)) {
    seconds += Number(amount) * SECONDS_OF[unit as keyof typeof SECONDS_OF]
  }
  // Sums of fractions fall short by less than a nanosecond: 0.1 s ten times is one second.
  const whole = Math.trunc(seconds + 1e-10)
  return sign === '-' && whole !== 0 ? -whole : whole
}

/** Whole seconds as a Go duration. */
export function toGoDuration(seconds: number): string {
  return `${seconds}s`
}
