// Realtime as a subscriber of row changes: what sockets watch goes into the log. It may give up, and then says so: a
// gap is counted in the database, which the log learns with what comes next, or within a minute.

import type { PlatformDatabase } from '../../../db/database.ts'
import { deadline } from '../../../lib/deadline.ts'
import type { Recipient, RowChange, RowChangeSubscriber } from '../../row-changes/consume/subscriber.ts'
import type { VersionedRegistry } from '../../row-changes/consume/versioned-registry.ts'
import { expireWatches } from '../watching/watch-tables.ts'
import { MESSAGES_TABLE_ID, type NewChange, type RealtimeLog } from './log-contract.ts'
import type { WatchedTables } from './watch-registry.ts'

export interface RealtimeSubscriberDeps {
  platform: Pick<PlatformDatabase, 'query' | 'transaction'>
  log: () => Pick<RealtimeLog, 'store'>
  /** One for an isolate: it remembers. */
  registry: Pick<VersionedRegistry<WatchedTables>, 'atLeast'>
}

const STORE_TIMEOUT_MS = 10_000
/** In characters, of rows: a call takes 32 MiB. */
const CALL_LENGTH_MAX = 4 * 1024 * 1024

const COUNT_GAP = 'update quoin.realtime_state set gaps = gaps + 1 returning gaps'

/** Gives up what the log does not store within ten seconds. */
export function realtimeSubscriber({ platform, log, registry }: RealtimeSubscriberDeps): RowChangeSubscriber {
  const storeAll = async ({ epoch, gaps, messages_id }: WatchedTables, changes: readonly RowChange[]) => {
    for (const call of callsOf(changes.map(change => newChange(change, epoch, messages_id))))
      await deadline(STORE_TIMEOUT_MS, log().store({ epoch, gaps, changes: call }))
  }
  return {
    name: 'realtime',
    gaveUp: async () => {
      await platform.query(COUNT_GAP)
    },
    recipientsOf: async (chunk, registryVersion) => {
      const watched = await registry.atLeast(registryVersion)
      if (watched.version < registryVersion)
        throw new Error(`what sockets watch is older than version ${registryVersion}`)
      const isWatched = chunk.table_id === watched.messages_id || watched.table_ids.includes(chunk.table_id)
      if (!isWatched) return []
      const recipient: Recipient = {
        id: 'log',
        store: async changes => {
          await storeAll(watched, changes)
          return 'stored'
        },
      }
      return [recipient]
    },
    followTables: async () => {
      const tellGap = async () => storeAll(await registry.atLeast(Number.POSITIVE_INFINITY), [])
      // A gap is told although watches cannot be ended, and these end although the log does not answer.
      await Promise.all([tellGap(), expireWatches({ platform })])
      return new Map()
    },
  }
}

function newChange(
  { chunk, index, row, old_row, error, large }: RowChange,
  epoch: string,
  messagesId: number | null,
) {
  return {
    event_id: `${epoch}:${chunk.id}.${index}`,
    table_id: chunk.table_id === messagesId ? MESSAGES_TABLE_ID : chunk.table_id,
    event: chunk.event,
    occurred_at: chunk.occurred_at,
    row,
    old_row,
    error: large === null ? error : `the rows have ${large.bytes} bytes`,
  } satisfies NewChange
}

/** One at least, so that a gap is told where nothing changes any more. */
function callsOf(changes: readonly NewChange[]): NewChange[][] {
  const calls: NewChange[][] = [[]]
  let length = 0
  for (const change of changes) {
    const own = (change.row?.length ?? 0) + (change.old_row?.length ?? 0)
    if (length + own > CALL_LENGTH_MAX) {
      calls.push([])
      length = 0
    }
    calls.at(-1)?.push(change)
    length += own
  }
  return calls
}
