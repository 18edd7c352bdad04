// The periods that can be looked at.

interface PeriodFacts {
  label: string
  seconds: number
  /** false: its steps are so long that it is read when somebody comes. */
  refreshMs: number | false
}

const HOUR = 3_600
const REFRESH_MS = 30_000

export const PERIODS = {
  hour: { label: 'Last hour', seconds: HOUR, refreshMs: REFRESH_MS },
  day: { label: 'Day', seconds: 24 * HOUR, refreshMs: REFRESH_MS },
  week: { label: 'Week', seconds: 7 * 24 * HOUR, refreshMs: false },
  month: { label: '30 days', seconds: 30 * 24 * HOUR, refreshMs: false },
} satisfies Record<string, PeriodFacts>

export type Period = keyof typeof PERIODS
