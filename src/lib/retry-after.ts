// The pause that a server asks for: Retry-After, in every form that RFC 9110 section 10.2.3 has.

const TIME = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)'
/** Section 5.6.7: IMF-fixdate, rfc850-date and asctime-date. All are UTC. */
const DATES = [
  `[a-z]{3}, (?<day>\\d{1,2}) (?<month>[a-z]{3}) (?<year>\\d{4}) ${TIME} GMT`,
  `[a-z]{6,9}, (?<day>\\d\\d)-(?<month>[a-z]{3})-(?<year>\\d\\d) ${TIME} GMT`,
  `[a-z]{3} (?<month>[a-z]{3}) (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})`,
].map(form => new RegExp(`^${form}$`, 'i'))
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/**
 * Milliseconds from `nowMs` on, at most the largest safe integer; undefined for a header that is missing or in none of
 * the forms. What is too long to wait is for the caller to cut.
 */
export function readRetryAfterMs(value: string | null, nowMs: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, Number.MAX_SAFE_INTEGER)
  const atMs = readHttpDate(text, nowMs)
  return atMs === undefined ? undefined : Math.max(0, atMs - nowMs)
}

function readHttpDate(text: string, nowMs: number): number | undefined {
  const parts = DATES.map(form => form.exec(text)?.groups).find(groups => groups !== undefined)
  if (parts === undefined) return undefined
  const [day, hour, minute, second] = [parts['day'], parts['hour'], parts['minute'], parts['second']].map(
    Number,
  )
  const month = MONTHS.indexOf(String(parts['month']).toLowerCase())
  const year = fullYear(String(parts['year']), nowMs)
  const date = new Date(Date.UTC(year, month, day, hour, minute, second))
  // `Date` takes what is too large for a field into the next: only a leap second may do that.
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60
  const isReal = month >= 0 && date.getUTCDate() === day && isTime
  return isReal ? date.getTime() : undefined
}

/** Two digits are a year at most 50 years ahead, and of the past otherwise. */
function fullYear(digits: string, nowMs: number): number {
  if (digits.length === 4) return Number(digits)
  const thisYear = new Date(nowMs).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + Number(digits)
  return year > thisYear + 50 ? year - 100 : year
}
