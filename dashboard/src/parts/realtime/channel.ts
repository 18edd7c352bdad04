// One channel of a project, heard by supabase-js over a socket of its own. The library opens a lost socket again by
// itself, but with the address of the first, whose ticket is used up. So each connection is a client of its own here.

import type { RealtimeChannel } from '@supabase/supabase-js'
import { API_URL } from '../../api/addresses.ts'
import { isPassing } from '../../api/errors.ts'
import { takeTicket } from './ticket.ts'

export interface ChannelAsked {
  readonly projectId: string
  /** Without `realtime:`. */
  readonly topic: string
  readonly isPrivate?: boolean
  /** Its row changes are heard; without it the topic's broadcasts, and who is present. */
  readonly table?: { readonly schema: string; readonly name: string }
}

/** `lost`: it is tried again. `refused`: it is not. */
export type ChannelState =
  | { readonly kind: 'off' | 'connecting' | 'live' }
  | { readonly kind: 'lost' | 'refused'; readonly reason: Error }

/** Values are those of supabase-js: whole numbers above 2^53 have lost digits. */
export type RowValues = Readonly<Record<string, unknown>>

export interface HeardChange {
  readonly event: 'INSERT' | 'UPDATE' | 'DELETE'
  /** ISO 8601. */
  readonly at: string
  /** Without anything for a DELETE. */
  readonly row: RowValues
  /** Without anything for an INSERT. */
  readonly oldRow: RowValues
  readonly errors: readonly string[] | null
}

export interface Hearing {
  state(state: ChannelState): void
  change?(change: HeardChange): void
  broadcast?(event: string, payload: unknown): void
  /** Who is present now, by key, each with what it tracks; and what has just happened. */
  presence?(
    present: Present,
    happened?: { event: 'join' | 'leave'; key: string; metas: readonly unknown[] },
  ): void
  /** Changes may have been missed; why, where the server says it. */
  refetch?(reason: string | undefined): void
  /** The server says that something is wrong; the channel goes on. */
  notice?(message: string): void
}

export type Present = Readonly<Record<string, readonly unknown[]>>

export interface OpenChannel extends Disposable {
  /** Throws where it was not taken. */
  send(event: string, payload: unknown): Promise<void>
}

/** How long to wait before each next connection, in milliseconds; the last for all others. */
const WAITS_MS = [1_000, 2_000, 5_000, 10_000, 30_000]
const SECONDS_30_MS = 30_000

/** Hears a channel until it is disposed of or refused. */
export function openChannel(asked: ChannelAsked, hear: Hearing): OpenChannel {
  const closing = new AbortController()
  const open: { channel?: RealtimeChannel } = {}
  void keepOpen(asked, untilAborted(hear, closing.signal), closing.signal, open)
  return {
    send: async (event, payload) => {
      const outcome = await open.channel?.send({ type: 'broadcast', event, payload })
      if (outcome !== 'ok') throw new Error(`Nothing was sent: ${outcome ?? 'the channel is not open'}.`)
    },
    [Symbol.dispose]: () => closing.abort(),
  }
}

/** A socket that is being closed may still bring something. */
function untilAborted(hear: Hearing, signal: AbortSignal): Hearing {
  const guarded =
    <Told extends unknown[]>(tell: ((...told: Told) => void) | undefined) =>
    (...told: Told) =>
      signal.aborted || tell?.(...told)
  return {
    state: guarded(hear.state),
    change: guarded(hear.change),
    broadcast: guarded(hear.broadcast),
    presence: guarded(hear.presence),
    refetch: guarded(hear.refetch),
    notice: guarded(hear.notice),
  }
}

async function keepOpen(
  asked: ChannelAsked,
  hear: Hearing,
  signal: AbortSignal,
  open: { channel?: RealtimeChannel },
): Promise<void> {
  // By it the server finds what this page has heard, and goes on behind it.
  const client = crypto.randomUUID()
  // A name that is new is told to read first, which each page does by itself.
  let isNew = true
  const refetch: Hearing['refetch'] = reason => {
    if (!isNew) hear.refetch?.(reason)
    isNew = false
  }
  let failures = 0
  hear.state({ kind: 'connecting' })
  while (!signal.aborted) {
    const startedAt = Date.now()
    const ending = await connectOnce(asked, { ...hear, refetch, client }, signal, open)
    isNew = false
    delete open.channel
    if (signal.aborted) return
    hear.state(ending)
    if (ending.kind === 'refused') return
    failures = Date.now() - startedAt > SECONDS_30_MS ? 0 : failures + 1
    await passed(WAITS_MS[Math.min(failures, WAITS_MS.length) - 1] ?? 0, signal)
  }
}

type Ending = Extract<ChannelState, { reason: Error }>

/** Resolves when the connection has ended, with why. */
async function connectOnce(
  asked: ChannelAsked,
  hear: Hearing & { client: string },
  signal: AbortSignal,
  open: { channel?: RealtimeChannel },
): Promise<Ending> {
  try {
    const [{ RealtimeClient }, ticket] = await Promise.all([
      import('./client.ts'),
      takeTicket(asked.projectId),
    ])
    if (signal.aborted) return { kind: 'lost', reason: new Error('closed') }
    const socket = new RealtimeClient(`${API_URL.replace(/^http/, 'ws')}/api/realtime`, {
      // The ticket comes in place of a key.
      params: { apikey: ticket, project_id: asked.projectId, client: hear.client },
    })
    const channel = socket.channel(asked.topic, {
      config: { private: asked.isPrivate ?? false, broadcast: { ack: true, self: true } },
    })
    try {
      return await heardToItsEnd(channel, asked, hear, signal, () => {
        open.channel = channel
      })
    } finally {
      void socket.disconnect()
    }
  } catch (err) {
    const reason = err instanceof Error ? err : new Error(String(err))
    return { kind: isPassing(err) ? 'lost' : 'refused', reason }
  }
}

/** What the server says of a channel; the reason is Quoin's own. */
interface SystemNews {
  status: string
  message: string
  reason?: string
}

function heardToItsEnd(
  channel: RealtimeChannel,
  asked: ChannelAsked,
  hear: Hearing,
  signal: AbortSignal,
  onOpen: () => void,
): Promise<Ending> {
  return new Promise(resolve => {
    let lastError: string | undefined
    signal.addEventListener('abort', () => resolve({ kind: 'lost', reason: new Error('closed') }), {
      once: true,
    })
    channel.on('system', {}, ({ status, message, reason }: SystemNews) => {
      if (status !== 'error') return
      if (message === 'must_refetch') return hear.refetch?.(reason)
      lastError = message
      hear.notice?.(message)
    })
    if (asked.table === undefined) hearTopic(channel, hear)
    else hearTable(channel, asked.table, hear)
    channel.subscribe((status, err) => {
      if (status === 'SUBSCRIBED') {
        onOpen()
        hear.state({ kind: 'live' })
      } else resolve(endingOf(status, err, lastError))
    })
  })
}

/** A join that was refused has the server's answer as its cause, and a channel that the server closed had an error. */
function endingOf(status: string, err: Error | undefined, lastError: string | undefined): Ending {
  const { cause } = err ?? {}
  if (typeof cause === 'object' && cause !== null && 'reason' in cause && !('code' in cause))
    return { kind: 'refused', reason: new Error(String(cause.reason)) }
  if (status === 'CLOSED') return { kind: 'refused', reason: new Error(lastError ?? 'The server closed it.') }
  if (err === undefined) return { kind: 'lost', reason: new Error('The server did not answer in time.') }
  // Browsers keep to themselves why a socket was not let in.
  const isUnknown = cause instanceof Event && !(cause instanceof CloseEvent)
  return { kind: 'lost', reason: isUnknown ? new Error('The server did not open the connection.') : err }
}

function hearTable(
  channel: RealtimeChannel,
  { schema, name: table }: { schema: string; name: string },
  hear: Hearing,
): void {
  channel.on('postgres_changes', { event: '*', schema, table }, change =>
    hear.change?.({
      event: change.eventType,
      at: change.commit_timestamp,
      row: change.new,
      oldRow: change.old,
      errors: change.errors,
    }),
  )
}

function hearTopic(channel: RealtimeChannel, hear: Hearing): void {
  channel.on('broadcast', { event: '*' }, ({ event, payload }) => hear.broadcast?.(event, payload))
  // Those who were there before come in one by one as well, in front of the first state.
  let isKnown = false
  const happened = (event: 'join' | 'leave', key: string, metas: readonly unknown[]) =>
    isKnown && hear.presence?.(channel.presenceState(), { event, key, metas })
  channel.on('presence', { event: 'sync' }, () => {
    isKnown = true
    hear.presence?.(channel.presenceState())
  })
  channel.on('presence', { event: 'join' }, ({ key, newPresences }) => happened('join', key, newPresences))
  channel.on('presence', { event: 'leave' }, ({ key, leftPresences }) =>
    happened('leave', key, leftPresences),
  )
}

function passed(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
