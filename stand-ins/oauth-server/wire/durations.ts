// Durations as clients have them: "1h30m", read as seconds and written as Go does. Pure.

const SECONDS: Readonly<Record<string, number>> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 1e-3,
  us: 1e-6,
  µs: 1e-6,
  ns: 1e-9,
}
const DURATION = /^[+-]?(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs|ns))+$/
const PART = /(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g
/** What Go has room for: 292 years. */
const SECONDS_MAX = 9_223_372_036

/** Seconds, with their fraction; undefined for what is no duration. */
export function durationSeconds(text: string): number | undefined {
  if (text === '0') return 0
  if (!DURATION.test(text)) return undefined
  let total = 0
  for (const [, count, unit = ''] of text.matchAll(PART)) total += Number(count) * (SECONDS[unit] ?? 0)
  if (total > SECONDS_MAX) return undefined
  return text.startsWith('-') && total > 0 ? -total : total
}

/** Hours, minutes and seconds, or milliseconds below a second. */
export function formatDuration(seconds: number): string {
  const size = Math.abs(seconds)
  const sign = seconds < 0 ? '-' : ''
  const decimal = (value: number) => String(Number(value.toFixed(9)))
  if (size > 0 && size < 1) return `${sign}${decimal(size * 1000)}ms`
  const minutes = Math.floor(size / 60)
  const rest = `${decimal(size % 60)}s`
  if (minutes === 0) return sign + rest
  return minutes < 60
    ? `${sign}${minutes}m${rest}`
    : `${sign}${Math.floor(minutes / 60)}h${minutes % 60}m${rest}`
}
