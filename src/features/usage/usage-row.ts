// What a limiter tells the database of how often its key called: minutes, put into rows of an hour. Pure.

/** Requests that were let in during one minute, counted in minutes since 1970. */
export interface UsedMinute {
  minute: number
  requests: number
}

/** Of `quoin.usage`: one number for each minute of the hour, which is ISO 8601 UTC. */
export interface UsageRow {
  hour: string
  requests: number[]
}

const MINUTES_PER_HOUR = 60
const HOUR_MS = 3_600_000

/** The rows that these minutes belong to; minutes that are not among them are 0 there. */
export function usageRows(minutes: readonly UsedMinute[]): UsageRow[] {
  const hours = new Map<number, number[]>()
  for (const { minute, requests } of minutes) {
    const hour = Math.floor(minute / MINUTES_PER_HOUR)
    const row = hours.get(hour) ?? new Array<number>(MINUTES_PER_HOUR).fill(0)
    row[minute % MINUTES_PER_HOUR] = requests
    hours.set(hour, row)
  }
  return Array.from(hours, ([hour, requests]) => ({
    hour: new Date(hour * HOUR_MS).toISOString(),
    requests,
  }))
}
