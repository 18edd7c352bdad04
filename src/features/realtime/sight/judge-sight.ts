// Asks who may see what, so that nobody suffers for somebody else's policy. All classes go in one trip. Where that
// fails as a whole (a policy sleeps, or ends its own connection), each is asked by itself.

import { PostgresError } from '../../../db/postgres-error.ts'
import { DomainError } from '../../../errors.ts'
import { concurrently } from '../../../lib/concurrently.ts'
import type { Seen, SightAnswer, SightClass, SightFilter, SightQuestion } from './sight-contract.ts'

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

/** The code that a class gets which did not answer in time, or not at all. */
export const TOO_SLOW = '57014'

type Part =
  | { readonly kind: 'class'; readonly part: SightClass }
  | { readonly kind: 'filter'; readonly part: SightFilter }

/** One hub's judge: it remembers who was too slow. */
export class SightJudge {
  readonly #ask: AskSight
  readonly #nowMs: () => number
  /** By what it is, until when it is not asked. */
  readonly #paused = new Map<string, number>()
  /** Questions that were put to Postgres. */
  statements = 0

  constructor(ask: AskSight, nowMs: () => number) {
    this.#ask = ask
    this.#nowMs = nowMs
  }

  /** Each class and filter is answered, or has its own error. Throws where the database answers nobody. */
  async judge(question: SightQuestion): Promise<SightAnswer> {
    const parts: Part[] = [
      ...question.classes.map(part => ({ kind: 'class' as const, part })),
      ...question.filters.map(part => ({ kind: 'filter' as const, part })),
    ]
    const asked = parts.filter(part => !this.#isPaused(part))
    const answers = await this.#together(question, asked)
    const seenOf = (part: Part) => answers.seen.get(part) ?? tooSlow()
    const [classes, filters] = [parts.slice(0, question.classes.length), parts.slice(question.classes.length)]
    return { tables: answers.tables, classes: classes.map(seenOf), filters: filters.map(seenOf) }
  }

  async #together(question: SightQuestion, asked: readonly Part[]) {
    try {
      return await this.#trip(question, asked, TOGETHER_MS)
    } catch (err) {
      if (asked.length === 0 || !isOfWhole(err)) throw err
      return await this.#alone(question, asked)
    }
  }

  /** Classes first: filters are any caller's to make. Who is not reached in time counts as too slow. */
  async #alone(question: SightQuestion, asked: readonly Part[]) {
    const endsAtMs = this.#nowMs() + ALONE_MS
    // Without anybody's policy: a database that does not answer this answers nobody.
    const { tables } = await this.#trip(question, [], ALONE_MS)
    const seen = new Map<Part, Seen>()
    await concurrently(asked, AT_ONCE_MAX, async part => {
      const leftMs = endsAtMs - this.#nowMs()
      if (leftMs <= 0) return this.#pause(part)
      try {
        const answer = await this.#trip(question, [part], leftMs)
        seen.set(part, answer.seen.get(part) ?? tooSlow())
      } catch (err) {
        if (!isOfWhole(err)) throw err
        this.#pause(part)
      }
    })
    return { tables, seen }
  }

  #pause(part: Part): void {
    const nowMs = this.#nowMs()
    if (this.#paused.size >= PAUSED_MAX)
      for (const [name, untilMs] of this.#paused) if (untilMs <= nowMs) this.#paused.delete(name)
    this.#paused.set(nameOf(part), nowMs + PAUSE_MS)
  }

  async #trip({ tables }: SightQuestion, parts: readonly Part[], timeoutMs: number) {
    const classes = parts.filter(part => part.kind === 'class')
    const filters = parts.filter(part => part.kind === 'filter')
    this.statements += Math.max(1, parts.length)
    const answer = await this.#ask(
      { tables, classes: classes.map(({ part }) => part), filters: filters.map(({ part }) => part) },
      timeoutMs,
    )
    const seen = new Map<Part, Seen>()
    for (const [i, part] of classes.entries()) seen.set(part, answer.classes[i] ?? [])
    for (const [i, part] of filters.entries()) seen.set(part, answer.filters[i] ?? [])
    return { tables: answer.tables, seen }
  }

  #isPaused(part: Part): boolean {
    const name = nameOf(part)
    const untilMs = this.#paused.get(name)
    if (untilMs === undefined) return false
    if (untilMs > this.#nowMs()) return true
    this.#paused.delete(name)
    return false
  }
}

const nameOf = (part: Part) => JSON.stringify(part)

const tooSlow = () => ({ code: TOO_SLOW, message: 'the policies of the table took too long' })

/** Too slow, or the connection was ended: nobody knows yet by whom. */
function isOfWhole(err: unknown): boolean {
  if (err instanceof PostgresError)
    return err.code === TOO_SLOW || err.code.startsWith('57P') || err.code === '08006'
  return err instanceof DomainError && err.code === 'database_unavailable'
}
