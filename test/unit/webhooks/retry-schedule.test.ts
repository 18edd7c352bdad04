import { describe, expect, it } from 'vitest'
import {
  afterAttempt,
  beforeProbe,
  type FanoutState,
  healthOf,
  nextAlarm,
  withRow,
} from '../../../src/features/webhooks/delivery/fanout-state.ts'
import {
  judgeAttempt,
  RETRY_DELAYS_MS,
  type Standing,
} from '../../../src/features/webhooks/delivery/retry-schedule.ts'
import type { WebhookRow } from '../../../src/features/webhooks/delivery/webhook-row.ts'

const HOUR_MS = 3_600_000
const NOW = 1_800_000_000_000
const FAILED = { isSuccess: false, statusCode: 500, retryAfterMs: undefined }
const GOOD = { isSuccess: true, statusCode: 204, retryAfterMs: undefined }

const standing = (changes: Partial<Standing> = {}): Standing => ({
  attempts: 0,
  failCount: 0,
  isOutdated: false,
  ...changes,
})

describe('after a failed attempt', () => {
  it('waits 5 s, 30 s, 2 min, 10 min, 1 h, 6 h, 12 h, 24 h, then gives up', () => {
    const delays = RETRY_DELAYS_MS.map((_, attempts) => judgeAttempt(FAILED, standing({ attempts }), 0))
    expect(delays.map(verdict => (verdict.outcome === 'retry' ? verdict.delayMs : 0) / 1_000)).toEqual([
      5, 30, 120, 600, 3_600, 21_600, 43_200, 86_400,
    ])
    expect(judgeAttempt(FAILED, standing({ attempts: 8, failCount: 8 }), 0)).toEqual({ outcome: 'dead' })
  })

  it('never waits less than that, and up to a fifth more by chance', () => {
    expect(judgeAttempt(FAILED, standing(), 0.999_999)).toMatchObject({ delayMs: 6_000 })
  })

  it('waits as long as Retry-After asks for, a day at most', () => {
    const asked = (retryAfterMs: number) =>
      judgeAttempt({ ...FAILED, statusCode: 429, retryAfterMs }, standing(), 0)
    expect(asked(60_000)).toMatchObject({ delayMs: 60_000 })
    expect(asked(1_000)).toMatchObject({ delayMs: 5_000 })
    expect(asked(1_000 * HOUR_MS)).toMatchObject({ delayMs: 24 * HOUR_MS })
  })

  it('does not count attempts of an event while the webhook is failing', () => {
    expect(judgeAttempt(FAILED, standing({ attempts: 8, failCount: 20 }), 0.5)).toEqual({
      outcome: 'retry',
      delayMs: 60_000,
      attempts: 8,
    })
  })

  it('takes 410 as an order to stop', () => {
    const gone = { ...FAILED, statusCode: 410 }
    expect(judgeAttempt(gone, standing({ attempts: 3, failCount: 3 }), 0)).toEqual({ outcome: 'gone' })
  })

  it('learns nothing of a webhook that was changed meanwhile, but that its event has arrived', () => {
    const outdated = standing({ attempts: 8, failCount: 19, isOutdated: true })
    for (const statusCode of [500, 410]) {
      expect(judgeAttempt({ ...FAILED, statusCode }, outdated, 0)).toEqual({ outcome: 'outdated' })
    }
    expect(judgeAttempt(GOOD, outdated, 0)).toEqual({ outcome: 'delivered' })
  })
})

const ROW: WebhookRow = {
  id: 'w',
  table_id: 1,
  table_schema: 'public',
  table_name: 't',
  events: ['INSERT'],
  url: 'http://r.test',
  headers_encrypted: {},
  secret_encrypted: null,
  active: true,
  fail_count: 0,
  state: 'healthy',
  version: 3,
}
const state = (changes: Partial<FanoutState> = {}): FanoutState => ({
  ...withRow(undefined, ROW),
  ...changes,
})
const verdictOf = (facts: typeof FAILED, failCount = 0) => judgeAttempt(facts, standing({ failCount }), 0)

describe('the health of a webhook', () => {
  it('counts failures in a row, is failing from the twentieth, and forgets them at the first success', () => {
    let now = state()
    for (let attempt = 1; attempt <= 20; attempt++) {
      expect(healthOf(now)).toBe('healthy')
      now = afterAttempt(now, verdictOf(FAILED), NOW)
    }
    expect(now).toMatchObject({ failCount: 20, owesHealth: true, probeAtMs: NOW + 5_000 })
    expect(healthOf(now)).toBe('failing')
    const healed = afterAttempt(now, verdictOf(GOOD, 20), NOW)
    expect(healed).toMatchObject({ failCount: 0, owesHealth: true, probeAtMs: 0 })
    expect(healthOf(healed)).toBe('healthy')
  })

  // A blip that fails twenty attempts of a busy webhook within a moment must not silence it for a minute.
  it('is probed 5, 10, 20 and 40 s after it began to fail, then once a minute, and so again after a change', () => {
    const pausesOf = (failing: FanoutState) => {
      let [now, time] = [failing, failing.probeAtMs]
      return Array.from({ length: 6 }, () => {
        now = afterAttempt(beforeProbe(now, time), verdictOf(FAILED, now.failCount), time)
        const pauseMs = now.probeAtMs - time
        time = now.probeAtMs
        return pauseMs / 1_000
      })
    }
    const failing = afterAttempt(state({ failCount: 19 }), verdictOf(FAILED, 19), NOW)
    expect(failing.probeAtMs).toBe(NOW + 5_000)
    expect(pausesOf(failing)).toEqual([10, 20, 40, 60, 60, 60])
    const probed = { ...failing, probes: 9 }
    expect(pausesOf(withRow(probed, { ...ROW, version: 4 }))).toEqual([10, 20, 40, 60, 60, 60])
  })

  it('does not count what was under way when it began to fail as a probe', () => {
    const failing = afterAttempt(state({ failCount: 20 }), verdictOf(FAILED, 20), NOW)
    expect(failing.probeAtMs).toBe(NOW + 5_000)
  })

  it('changes nothing at a success that follows a success, so that nothing is written', () => {
    const now = state()
    expect(afterAttempt(now, verdictOf(GOOD), NOW)).toBe(now)
  })

  it('is paused by a 410 until its user changes it', () => {
    const now = afterAttempt(state(), { outcome: 'gone' }, NOW)
    expect(now).toMatchObject({ owesPause: true, webhook: { active: false } })
    expect(healthOf(now)).toBe('paused_by_receiver')
    const resumed = withRow(now, { ...ROW, version: 4, state: 'paused_by_receiver' })
    expect(resumed).toMatchObject({ owesPause: false, owesHealth: true, webhook: { active: true } })
    expect(healthOf(resumed)).toBe('healthy')
  })

  it('is not changed by an attempt of the webhook as it was', () => {
    const now = state({ failCount: 19 })
    expect(afterAttempt(now, { outcome: 'outdated' }, NOW)).toBe(now)
  })

  it('does not go back to an older row', () => {
    const now = state()
    expect(withRow(now, { ...ROW, version: 2, url: 'http://old.test' })).toBe(now)
  })
})

describe('the alarm', () => {
  const waiting = {
    nowMs: NOW,
    state: state(),
    firstDueAtMs: undefined,
    owesReports: false,
    reportAgainAtMs: 0,
    readAgainAtMs: NOW + 60_000,
    takeBackAtMs: undefined,
    forgetAtMs: undefined,
  }

  it('is not set when nothing waits', () => {
    expect(nextAlarm(waiting)).toBeUndefined()
  })

  it('is at most two seconds ahead while something is due', () => {
    expect(nextAlarm({ ...waiting, firstDueAtMs: NOW - 5 })).toBe(NOW + 2_000)
    expect(nextAlarm({ ...waiting, owesReports: true })).toBe(NOW + 2_000)
  })

  it('is at once while dead letters are to be taken back, or when Postgres may be asked for them again', () => {
    expect(nextAlarm({ ...waiting, takeBackAtMs: 0 })).toBe(NOW)
    expect(nextAlarm({ ...waiting, takeBackAtMs: NOW + 9_000 })).toBe(NOW + 9_000)
  })

  it('is when the first retry is due', () => {
    expect(nextAlarm({ ...waiting, firstDueAtMs: NOW + 5_000 })).toBe(NOW + 5_000)
  })

  it('is at the next probe while failing, and when the row is read again while paused', () => {
    const failing = state({ failCount: 20, probeAtMs: NOW + 30_000 })
    expect(nextAlarm({ ...waiting, state: failing, firstDueAtMs: NOW - 5 })).toBe(NOW + 30_000)
    const paused = state({ webhook: { ...ROW, active: false } })
    expect(nextAlarm({ ...waiting, state: paused, firstDueAtMs: NOW - 5 })).toBe(NOW + 60_000)
  })
})
