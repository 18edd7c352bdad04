// Asks who may see what, so that nobody suffers for somebody else's policy. All go in one trip. Where that fails as a
// whole (a policy sleeps, or ends its own connection), each is asked by itself.

import { PostgresError } from '../../../db/postgres-error.ts'
import { DomainError } from '../../../errors.ts'
import { concurrently } from '../../../lib/concurrently.ts'
import type { Seen, SightAnswer, SightAsked, SightQuestion } from './sight-contract.ts'

/** Answers the question in one trip of so many milliseconds at most. Throws `PostgresError` and `DomainError`. */
export type AskSight = (question: SightQuestion, timeoutMs: number) => Promise<SightAnswer>

/** For all in one trip, and then for those alone: two seconds together. */
const TOGETHER_MS = 1_000
const ALONE_MS = 1_000
const AT_ONCE_MAX = 8
/** What was too slow is not asked again for so long: each time would cost the others a second. */
const PAUSE_MS = 10_000
/** Beyond it, names whose time is over are forgotten. */
const PAUSED_MAX = 1_000

const TOO_SLOW: Seen = { code: '57014', message: 'the policies of the table took too long' }

/** One hub's judge: it remembers who was too slow. */
export class SightJudge {
  readonly #ask: AskSight
  readonly #nowMs: () => number
  /** By what was asked, until when it is not asked. */
  readonly #paused = new Map<string, number>()
  /** Questions that were put to Postgres. */
  statements = 0

  constructor(ask: AskSight, nowMs: () => number) {
    this.#ask = ask
    this.#nowMs = nowMs
  }

  /** Each is answered, or has its own error. Throws where the database answers nobody. */
  async judge({ tables, asked }: SightQuestion): Promise<SightAnswer> {
    const due = asked.filter(one => !this.#isPaused(one))
    const answer = await this.#together({ tables, asked: due })
    const seen = new Map(due.map((one, i) => [one, answer.seen[i]]))
    return { tables: answer.tables, seen: asked.map(one => seen.get(one) ?? TOO_SLOW) }
  }

  async #together(question: SightQuestion): Promise<SightAnswer> {
    try {
      return await this.#trip(question, TOGETHER_MS)
    } catch (err) {
      if (question.asked.length === 0 || !isOfWhole(err)) throw err
      return await this.#alone(question)
    }
  }

  /** Those without a filter first: filters are any caller's to make. Who is not reached in time counts as too slow. */
  async #alone({ tables, asked }: SightQuestion): Promise<SightAnswer> {
    const endsAtMs = this.#nowMs() + ALONE_MS
    // Without anybody's policy: a database that does not answer this answers nobody.
    const ofNobody = await this.#trip({ tables, asked: [] }, ALONE_MS)
    const seen = new Map<SightAsked, Seen>()
    const inTurn = [...asked].sort((a, b) => Number(a.filter !== null) - Number(b.filter !== null))
    await concurrently(inTurn, AT_ONCE_MAX, async one => {
      const leftMs = endsAtMs - this.#nowMs()
      if (leftMs <= 0) return this.#pause(one)
      try {
        const answer = await this.#trip({ tables, asked: [one] }, leftMs)
        seen.set(one, answer.seen[0] ?? TOO_SLOW)
      } catch (err) {
        if (!isOfWhole(err)) throw err
        this.#pause(one)
      }
    })
    return { tables: ofNobody.tables, seen: asked.map(one => seen.get(one) ?? TOO_SLOW) }
  }

  async #trip(question: SightQuestion, timeoutMs: number): Promise<SightAnswer> {
    this.statements += Math.max(1, question.asked.length)
    return await this.#ask(question, timeoutMs)
  }

  #pause(asked: SightAsked): void {
    const nowMs = this.#nowMs()
    if (this.#paused.size >= PAUSED_MAX)
      for (const [name, untilMs] of this.#paused) if (untilMs <= nowMs) this.#paused.delete(name)
    this.#paused.set(JSON.stringify(asked), nowMs + PAUSE_MS)
  }

  #isPaused(asked: SightAsked): boolean {
    if (this.#paused.size === 0) return false
    const name = JSON.stringify(asked)
    const untilMs = this.#paused.get(name)
    if (untilMs === undefined) return false
    if (untilMs > this.#nowMs()) return true
    this.#paused.delete(name)
    return false
  }
}

/** Too slow, or the connection was ended: nobody knows yet by whom. */
function isOfWhole(err: unknown): boolean {
  if (err instanceof PostgresError)
    return err.code === '57014' || err.code.startsWith('57P') || err.code === '08006'
  return err instanceof DomainError && err.code === 'database_unavailable'
}
