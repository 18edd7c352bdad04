// Go's durations as text ("1h30m0s"), read and written as Go does. Pure; nanoseconds in between, since Hydra keeps
// them.

const NANOSECONDS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n, // the micro sign
  μs: 1_000n, // the Greek letter
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}
const PART = /(\d*)(?:\.(\d*))?([^\d.]+)/y
const INT64_MAX = 2n ** 63n - 1n

/** Nanoseconds; undefined for what Go's time.ParseDuration refuses, which is also more than 292 years. */
export function parseDuration(text: string): bigint | undefined {
  const isNegative = text.startsWith('-')
  const rest = text.replace(/^[+-]/, '')
  if (rest === '0') return 0n
  let total = 0n
  PART.lastIndex = 0
  while (PART.lastIndex < rest.length) {
    const nanoseconds = partOf(PART.exec(rest))
    if (nanoseconds === undefined) return undefined
    total += nanoseconds
  }
  if (rest === '' || total > INT64_MAX + (isNegative ? 1n : 0n)) return undefined
  return isNegative ? -total : total
}

function partOf(match: RegExpExecArray | null): bigint | undefined {
  const [, whole = '', fraction = '', unit = ''] = match ?? []
  const scale = Object.hasOwn(NANOSECONDS, unit) ? NANOSECONDS[unit] : undefined
  if (scale === undefined || (whole === '' && fraction === '')) return undefined
  return BigInt(whole || 0) * scale + (BigInt(fraction || 0) * scale) / 10n ** BigInt(fraction.length)
}

/** As Go's Duration.String: hours, minutes and seconds, or one smaller unit below a second. */
export function formatDuration(nanoseconds: bigint): string {
  const sign = nanoseconds < 0n ? '-' : ''
  const ns = nanoseconds < 0n ? -nanoseconds : nanoseconds
  if (ns === 0n) return '0s'
  if (ns < 1_000n) return `${sign}${ns}ns`
  if (ns < 1_000_000n) return `${sign}${decimal(ns, 1_000n)}µs`
  if (ns < 1_000_000_000n) return `${sign}${decimal(ns, 1_000_000n)}ms`
  const minutes = ns / 60_000_000_000n
  const seconds = `${decimal(ns % 60_000_000_000n, 1_000_000_000n)}s`
  if (minutes === 0n) return sign + seconds
  if (minutes < 60n) return `${sign}${minutes}m${seconds}`
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`
}

/** `ns / unit` without zeros at the end. */
function decimal(ns: bigint, unit: bigint): string {
  const digits = (ns % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '')
  return digits === '' ? String(ns / unit) : `${ns / unit}.${digits}`
}

/** Seconds, with their fraction; throws for a text that is no duration. */
export function durationSeconds(text: string): number {
  const nanoseconds = parseDuration(text)
  if (nanoseconds === undefined) throw new Error(`no Go duration: ${text}`)
  return Number(nanoseconds) / 1e9
}
