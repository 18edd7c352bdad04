// What is served without asking policies, to those with a public or a signed address: the row of a place, and whether
// it may be served at all. One isolate's memory, for seconds: many who open one page ask the database once.

import type { PlatformDatabase } from '../../../db/database.ts'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { type Answer, FreshAnswers } from '../../../lib/fresh-answers.ts'
import { isStorable, type ObjectPlace } from '../names.ts'
import { OBJECT_JSON, type ObjectRow } from '../object-row.ts'

/** What is deleted, replaced or paused elsewhere is served at most so much longer. */
const ROW_FRESH_MS = 5_000
/** Shorter: whoever looks for a file before it is there looks again soon. */
const NO_ROW_FRESH_MS = 1_000
const ROWS_REMEMBERED_MAX = 1_000
/** Characters of JSON. A row with more, which its user's metadata can make it, is read each time. */
const ROW_LENGTH_MAX = 4_096
/** After so long the request that asks is taken for lost. */
const ASK_MS_MAX = 2_000
const LOOKS_EVERY_MS = 20

export interface PublicRow {
  /** Null: there is no such object, or no such bucket. */
  readonly row: ObjectRow | null
  /** Whether the bucket is there and public. */
  readonly isPublic: boolean
  /** Whether the project that made the address is paused, or gone. False without a project. */
  readonly isPaused: boolean
}

const NOTHING: PublicRow = { row: null, isPublic: false, isPaused: false }

const FIND = `
  select b.public::text, ($3::uuid is not null and coalesce(p.status = 'paused', true))::text,
    case when o.id is not null then ${OBJECT_JSON} end
  from (values (1)) as one
  left join storage.buckets b on b.id = $1
  left join storage.objects o on o.bucket_id = b.id and o.name = $2 collate "C"
  left join quoin.projects p on p.id = $3::uuid`

/** What an isolate remembers of them. A change that is made here is seen at once by calling `forget`. */
export class PublicRows {
  readonly #now: () => Date
  readonly #answers: FreshAnswers<PublicRow>
  /** Until when those who want the same wait for whoever asks. */
  readonly #asking = new BoundedMap<string, { untilMs: number }>(ROWS_REMEMBERED_MAX)

  constructor(now: () => Date) {
    this.#now = now
    this.#answers = new FreshAnswers({ freshMs: ROW_FRESH_MS, sizeMax: ROWS_REMEMBERED_MAX, now })
  }

  /** The answer that is kept, or is just being asked for, or else that of `ask`. Throws what `ask` throws. */
  async get(question: string, ask: () => Promise<Answer<PublicRow>>): Promise<PublicRow> {
    const asking = this.#asking.get(question)
    // Once: behind one that fails or is not kept, nobody queues again. By looking: another request's promise may be
    // lost with that request.
    while (asking !== undefined && asking === this.#asking.get(question) && this.#nowMs() < asking.untilMs)
      await new Promise(resolve => setTimeout(resolve, LOOKS_EVERY_MS))
    return this.#answers.get(question, async () => {
      const own = { untilMs: this.#nowMs() + ASK_MS_MAX }
      this.#asking.set(question, own)
      try {
        return await ask()
      } finally {
        if (this.#asking.get(question) === own) this.#asking.delete(question)
      }
    })
  }

  forget(): void {
    this.#answers.forget()
  }

  #nowMs(): number {
    return this.#now().getTime()
  }
}

/**
 * The row of a place as the owner sees it, past all policies: serve it only where `isPublic`, or for a token that was
 * verified for the place. At most 5 s old, and 1 s where there is none. One trip at most.
 */
export function readPublicRow(
  deps: { platform: Pick<PlatformDatabase, 'forReading'>; publicRows: PublicRows; now: () => Date },
  { bucketId, name }: ObjectPlace,
  projectId: string | null,
): Promise<PublicRow> {
  if (!isStorable(bucketId) || !isStorable(name)) return Promise.resolve(NOTHING)
  const question = JSON.stringify([bucketId, name, projectId])
  return deps.publicRows.get(question, async () => {
    const askedMs = deps.now().getTime()
    const [found] = await deps.platform
      .forReading('public files')
      .texts(FIND, [bucketId, name, projectId], 'repeatable')
    const [isPublic, isPaused, json] = found ?? []
    const value = {
      row: json == null ? null : (JSON.parse(json) as ObjectRow),
      isPublic: isPublic === 'true',
      isPaused: isPaused === 'true',
    }
    return { value, endsMs: askedMs + freshMsOf(json) }
  })
}

function freshMsOf(json: string | null | undefined): number {
  if (json == null) return NO_ROW_FRESH_MS
  return json.length > ROW_LENGTH_MAX ? 0 : ROW_FRESH_MS
}
