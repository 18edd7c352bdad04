// Takes a webhook's dead letters out of Postgres back into its fan-out. What is asked for is counted and noted at
// once and taken page by page, at the pace of its host's alarm: there may be any number of letters.

import type { PlatformDatabase } from '../../src/db/database.ts'
import { positionOfEvent } from '../../src/features/webhooks/delivery/event-identity.ts'
import {
  PIECE_CHARACTERS,
  WHOLE_PAYLOAD_BYTES_MAX,
} from '../../src/features/webhooks/delivery/fanout-contract.ts'
import { readFacts } from '../../src/features/webhooks/delivery/payload.ts'
import {
  countLetters,
  type ListedLetter,
  listLetters,
  type ReplayableLetter,
  readLetterPart,
  readLetters,
} from '../../src/features/webhooks/delivery/replayable-letters.ts'
import type { OpenFanout } from './delivery-lanes.ts'
import type { OwedRange } from './failed-replay-storage.ts'
import { logFailure } from './failure.ts'
import type { FanoutStorage } from './storage.ts'

const PAGE = 100
/** A page ends after so many characters of bodies, with one letter at least. */
const PAGE_CHARACTERS = 1024 * 1024
/** Of letters that are here so many are left out of a count: their ids go along with it. */
const KNOWN_MAX = 100_000
/** Of a body, enough to hold its timestamp. */
const ENDING_CHARACTERS = 100
/** Pause after Postgres has not answered. */
const RETRY_MS = 10_000

export interface FailedReplayHost {
  /** Undefined: the webhook is deleted, or not known yet. */
  open(): OpenFanout | undefined
}

export class FailedReplay {
  readonly #platform: PlatformDatabase
  readonly #host: FailedReplayHost
  #turn: Promise<unknown> = Promise.resolve()
  #againAtMs = 0

  constructor(platform: PlatformDatabase, host: FailedReplayHost) {
    this.#platform = platform
    this.#host = host
  }

  /** When the next page may be taken; undefined: everything is taken back. */
  dueAtMs(): number | undefined {
    return this.#host.open()?.storage.failedReplays.hasAny() ? this.#againAtMs : undefined
  }

  /**
   * Notes that the letters of `since` (ISO 8601) and later are to be taken back, those that are there by now, and
   * answers how many that are: none that is in the queue already, or noted. Takes none itself.
   */
  ask(since: string): Promise<number> {
    return this.#inTurn(() => this.#ask(since))
  }

  /** Takes the next letters back that are noted and due. Never throws: what Postgres does not answer is tried again. */
  takePage(): Promise<void> {
    return this.#inTurn(async () => {
      const opened = this.#host.open()
      const [range] = opened?.storage.failedReplays.all() ?? []
      if (opened === undefined || range === undefined || Date.now() < this.#againAtMs) return
      try {
        await this.#takePage(opened, range)
        this.#againAtMs = 0
      } catch (err) {
        // A webhook that was deleted meanwhile has no tables any more.
        if (this.#host.open()?.storage !== opened.storage) return
        this.#againAtMs = Date.now() + RETRY_MS
        logFailure('dead letters could not be taken back', err)
      }
    })
  }

  /** One after the other, so that two who ask at once take each letter back once. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#turn.then(work)
    this.#turn = run.catch(() => undefined)
    return run
  }

  async #ask(since: string): Promise<number> {
    const { state, storage } = this.#host.open() ?? {}
    if (state === undefined || storage === undefined) return 0
    // Asked before Postgres is: what is written down meanwhile may still look undelivered in its answer.
    const known = storage.takenBack(KNOWN_MAX)
    const pending = storage.failedReplays.all()
    const found = await countLetters(this.#platform, state.webhook.id, since, { known, pending })
    if (found === undefined || this.#host.open()?.storage !== storage) return 0
    storage.failedReplays.add(found.range)
    return found.count
  }

  async #takePage({ state, storage }: OpenFanout, range: OwedRange): Promise<void> {
    const listed = await listLetters(this.#platform, state.webhook.id, range, PAGE)
    const letters = await this.#readMissing(storage, listed)
    let characters = 0
    for (const place of listed) {
      const letter = letters.get(place.id)
      if (letter === undefined) continue
      await this.#takeBack(storage, letter)
      characters += letter.length
      if (characters < PAGE_CHARACTERS) continue
      storage.failedReplays.advance(range.number, place)
      return
    }
    const last = listed.at(-1)
    if (last === undefined || listed.length < PAGE) storage.failedReplays.drop(range.number)
    else storage.failedReplays.advance(range.number, last)
  }

  /** The letters that are not in the queue. Read after that is known, or one that arrives meanwhile would come back. */
  async #readMissing(
    storage: FanoutStorage,
    listed: readonly ListedLetter[],
  ): Promise<Map<string, ReplayableLetter>> {
    const resolved = new Set(storage.reports.resolved())
    const missing = listed.filter(
      ({ id, event_id }) => !resolved.has(id) && !storage.has(positionOfEvent(event_id)),
    )
    if (missing.length === 0) return new Map()
    const ids = missing.map(letter => letter.id)
    const letters = await readLetters(this.#platform, ids)
    return new Map(letters.map(letter => [letter.id, letter]))
  }

  /** One whose body is none of ours stays where it is. */
  async #takeBack(storage: FanoutStorage, letter: ReplayableLetter): Promise<void> {
    const position = positionOfEvent(letter.event_id)
    // Another with its number came back before it: its pieces are there, and may go while these come.
    if (storage.has(position)) return
    let [bytes, beginning, last] = [0, '', '']
    const isWhole = letter.length * 4 <= WHOLE_PAYLOAD_BYTES_MAX
    if (!isWhole) {
      // It is written, perhaps without an answer; and what is left of its pieces is not cut like those that come now.
      storage.reports.dropLetter(letter.id)
      storage.pieces.drop(position)
    }
    for (let from = 0, number = 0; from < letter.length; from += PIECE_CHARACTERS, number++) {
      const text = letter.payload ?? (await readLetterPart(this.#platform, letter.id, from, PIECE_CHARACTERS))
      bytes += new TextEncoder().encode(text).length
      if (isWhole || number === 0) beginning += text
      last = (last + text).slice(-ENDING_CHARACTERS)
      if (!isWhole) storage.pieces.put(position, number, text, Date.now())
    }
    const facts = readFacts(beginning, last)
    if (facts === undefined) {
      if (!isWhole && !storage.has(position)) storage.pieces.drop(position)
      return
    }
    const event = {
      position,
      // Its place in the order is gone: others of its key have been delivered since.
      key: `dead letter ${letter.id}`,
      old_key: null,
      event_type: facts.event,
      occurred_at_ms: facts.occurredAtMs,
      request_id: letter.request_id,
      payload_error: letter.payload_error,
      payload: isWhole ? beginning : null,
      bytes,
    }
    storage.addAgain(event, letter.id, Date.now())
  }
}
