// A table of notes in memory, whose policy and filters are functions: what Postgres would answer about a batch.

import { groupKey } from '../../../src/features/realtime/changes/class-key.ts'
import type { SightPlan } from '../../../src/features/realtime/changes/plan-sight.ts'
import type { Group, Subscription } from '../../../src/features/realtime/changes/subscription.ts'
import type { LoggedChange } from '../../../src/features/realtime/log/log-contract.ts'
import type { Seen, SightAnswer, SightTable } from '../../../src/features/realtime/sight/sight-contract.ts'

export const NOTES = 4711

export interface Note {
  readonly id: string
  readonly owner: string
  readonly room: number
  readonly title: string
  /** JSON text. */
  readonly meta: string
}

export const notesTable: SightTable = {
  tableId: NOTES,
  table_schema: 'public',
  table_name: 'my "notes"',
  fits: true,
  columns: [
    { name: 'id', type: 'int8' },
    { name: 'owner', type: 'text' },
    { name: 'room', type: 'int4' },
    { name: 'a "title", with {}', type: 'text' },
    { name: '__proto__', type: 'json' },
  ],
  selectable: {
    anon: ['id', 'owner', 'room', 'a "title", with {}', '__proto__'],
    service_role: ['id', 'owner', 'room', 'a "title", with {}', '__proto__'],
    authenticated: [],
  },
  claimsRead: [],
}

/** As Postgres writes a row: names escaped, numbers with all digits. */
export function imageOf({ id, owner, room, title, meta }: Note): string {
  const text = JSON.stringify
  const named = `"id":${id},"owner":${text(owner)},"room":${room},"a \\"title\\", with {}":${text(title)}`
  return `{${named},"__proto__":${meta}}`
}

export function change(
  number: number,
  event: LoggedChange['event'],
  row: string | null,
  old_row: string | null = null,
): LoggedChange {
  return {
    kind: 'change',
    number,
    event_id: `e:1.${number}`,
    table_id: NOTES,
    event,
    occurred_at: '2026-01-01T00:00:00.000Z',
    row,
    old_row,
    error: null,
  }
}

export function subscription(id: number, more: Partial<Subscription> = {}): Subscription {
  return { id, event: '*', tableId: NOTES, filter: null, columns: null, ...more }
}

export function roomFilter(room: number): Subscription['filter'] {
  return { key: `room ${room}`, sql: '"room" = ($2)[1]::int4', params: [String(room)], columns: ['room'] }
}

export function group(
  role: Group['role'],
  claims: Group['claims'],
  subscriptions: readonly Subscription[],
): Group {
  return { key: groupKey(role, claims, [], subscriptions), role, claims, subscriptions }
}

/** Own rows for anon, all for service_role; a filter is the room that its parameter says. */
export function answerOf({ question }: SightPlan, table: SightTable | null = notesTable): SightAnswer {
  const images = question.tables[0]?.images ?? []
  const seen = (sees: (image: string) => boolean): Seen =>
    images.flatMap((image, at) => (sees(image) ? at : []))
  return {
    tables: question.tables.map(() => table),
    seen: question.asked.map(({ role, claims, filter }) => {
      if (filter !== null) return seen(image => filter.params[0] === String(JSON.parse(image).room))
      return role === 'service_role' ? 'all' : seen(image => ownerOf(image) === JSON.parse(claims).sub)
    }),
  }
}

function ownerOf(image: string): string {
  return JSON.parse(image).owner
}
