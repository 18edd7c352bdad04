import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planSight, staleTables } from '../../../src/features/realtime/changes/plan-sight.ts'
import {
  type RowsTold,
  renderChanges,
  type Told,
} from '../../../src/features/realtime/changes/render-changes.ts'
import type { Group } from '../../../src/features/realtime/changes/subscription.ts'
import type { LoggedChange } from '../../../src/features/realtime/log/log-contract.ts'
import type { SightAnswer, SightTable } from '../../../src/features/realtime/sight/sight-contract.ts'
import {
  answerOf,
  change,
  group,
  imageOf,
  NOTES,
  type Note,
  notesTable,
  roomFilter,
  subscription,
} from './changes-fixture.ts'

const NO_CLAIMS = new Map<number, readonly string[]>()
const note: Note = { id: '9007199254740993', owner: 'ann', room: 1, title: 'ß', meta: '{"n":1.10}' }

function render(changes: readonly LoggedChange[], told: Group, more: Partial<SightTable> | null = {}) {
  const plan = planSight(changes, [told], NO_CLAIMS)
  return renderChanges(plan, answerOf(plan, more === null ? null : { ...notesTable, ...more }))(told)
}

const rowsOf = (told: readonly Told[]) => told.filter((one): one is RowsTold => 'ids' in one)
const reasonsOf = (told: readonly Told[]) => told.flatMap(one => ('reason' in one ? [one.reason] : []))

/** Rows as a client keeps them: numbers as they were written, members that `JSON.parse` could hide as any other. */
function exactly(json: string): Record<string, unknown> {
  return JSON.parse(json, (_, value, context?: { source?: string }) =>
    typeof value === 'number' ? `number ${context?.source}` : value,
  )
}

const notes = fc.record({
  id: fc.constantFrom('1', '9007199254740993', '-9223372036854775808'),
  owner: fc.constantFrom('ann', 'bob'),
  room: fc.integer({ min: 1, max: 2 }),
  title: fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('","room":2,"', '\\', '\\"', '{[', '\u2028'),
  ),
  meta: fc.oneof(
    fc.json(),
    fc.constantFrom('1.10', '123456789012345678901234567890', '{"a" : [1,\n"]", {}]}', '"\\ud800\\u0000"'),
  ),
})
const writes = fc.array(fc.tuple(fc.boolean(), notes), { maxLength: 30 })

/** What a table sees when each note is deleted (true) or written. */
function changesOf(written: readonly (readonly [boolean, Note])[]) {
  const rows = new Map<string, Note>()
  const states: (readonly Note[])[] = []
  const changes = written.flatMap(([isDeleted, next], number): LoggedChange[] => {
    const old = rows.get(next.id)
    const made = (event: LoggedChange['event'], row: Note, before?: Note) => {
      states.push([...rows.values()])
      return [change(number, event, imageOf(row), before ? imageOf(before) : null)]
    }
    if (isDeleted && old === undefined) return []
    if (isDeleted) rows.delete(next.id)
    else rows.set(next.id, next)
    if (isDeleted && old !== undefined) return made('DELETE', old)
    return old === undefined ? made('INSERT', next) : made('UPDATE', next, old)
  })
  return { changes, states }
}

const SUBSCRIBERS = [
  {
    told: group('anon', { sub: 'ann' }, [subscription(1), subscription(2, { filter: roomFilter(1) })]),
    owner: 'ann',
  },
  {
    told: group('anon', { sub: 'bob' }, [subscription(1), subscription(2, { filter: roomFilter(2) })]),
    owner: 'bob',
  },
  {
    told: group('service_role', {}, [subscription(1), subscription(2, { filter: roomFilter(2) })]),
    owner: null,
  },
]

test('after each change a client keeps exactly the rows that are in its sight', () => {
  fc.assert(
    fc.property(writes, fc.integer({ min: 1, max: 8 }), (written, batchSize) => {
      const { changes, states } = changesOf(written)
      for (const { told, owner } of SUBSCRIBERS) {
        for (const { id, filter } of told.subscriptions) {
          const kept = new Map<string, string>()
          for (let at = 0; at < changes.length; at += batchSize) {
            const batch = changes.slice(at, at + batchSize)
            const plan = planSight(
              batch,
              SUBSCRIBERS.map(({ told }) => told),
              NO_CLAIMS,
            )
            const all = renderChanges(plan, answerOf(plan))(told)
            const rendered = rowsOf(all)
            expect(reasonsOf(all)).toEqual([])
            for (const [index, { number }] of batch.entries()) {
              for (const event of rendered)
                if (event.number === number && event.ids.includes(id)) apply(kept, event.dataJson)
              const state = states[at + index] ?? []
              const inSight = state.filter(
                row =>
                  (owner === null || row.owner === owner) &&
                  (filter === null || filter.params[0] === String(row.room)),
              )
              expect([...kept.values()].sort()).toEqual(
                inSight.map(row => JSON.stringify(exactly(imageOf(row)))).sort(),
              )
            }
          }
        }
      }
    }),
    { numRuns: 300 },
  )
})

function apply(kept: Map<string, string>, dataJson: string): void {
  const { type, record, old_record } = exactly(dataJson) as Record<
    string,
    Record<string, unknown> | undefined
  >
  const key = String((record ?? old_record)?.id)
  expect(kept.has(key)).toBe(String(type) !== 'INSERT')
  if (old_record !== undefined) expect(kept.get(key)).toBe(JSON.stringify(old_record))
  if (record === undefined) kept.delete(key)
  else kept.set(key, JSON.stringify(record))
}

test('columns that were chosen are cut out of the row as they stand there', () => {
  const names = notesTable.columns.map(({ name }) => name)
  fc.assert(
    fc.property(notes, fc.subarray(names, { minLength: 1 }), (row, chosen) => {
      const told = group('service_role', {}, [subscription(1, { columns: chosen })])
      const rendered = rowsOf(render([change(1, 'INSERT', imageOf(row))], told))
      const { record, columns } = exactly(rendered[0]?.dataJson ?? '')
      const whole = exactly(imageOf(row))
      expect(record).toEqual(Object.fromEntries(chosen.map(name => [name, whole[name]])))
      expect(columns).toEqual(notesTable.columns.filter(({ name }) => chosen.includes(name)))
    }),
  )
})

test('an event has the form of Supabase, and our number', () => {
  const told = group('anon', { sub: 'ann' }, [subscription(3)])
  const moved = { ...note, room: 2 }
  const rendered = rowsOf(
    render(
      [
        change(5, 'INSERT', imageOf(note)),
        change(6, 'UPDATE', imageOf(moved), imageOf(note)),
        change(7, 'DELETE', imageOf(moved)),
      ],
      told,
    ),
  )
  const common = {
    schema: 'public',
    table: 'my "notes"',
    commit_timestamp: '2026-01-01T00:00:00.000Z',
    columns: notesTable.columns,
    errors: null,
  }
  expect(rendered.map(({ number, ids }) => [number, ids])).toEqual([
    [5, [3]],
    [6, [3]],
    [7, [3]],
  ])
  expect(rendered.map(({ dataJson }) => exactly(dataJson))).toEqual([
    { ...common, type: 'INSERT', record: exactly(imageOf(note)), number: 'number 5' },
    {
      ...common,
      type: 'UPDATE',
      record: exactly(imageOf(moved)),
      old_record: exactly(imageOf(note)),
      number: 'number 6',
    },
    { ...common, type: 'DELETE', old_record: exactly(imageOf(moved)), number: 'number 7' },
  ])
  // With all digits.
  expect(rendered[0]?.dataJson).toContain('"record":{"id":9007199254740993,')
  expect(rendered[0]?.dataJson).toContain('"__proto__":{"n":1.10}')
})

test('subscriptions that get the same are in one event, others in one of their own', () => {
  const told = group('anon', { sub: 'ann' }, [
    subscription(1),
    subscription(2, { event: 'UPDATE' }),
    subscription(3, { event: 'INSERT', filter: roomFilter(2) }),
    subscription(4, { columns: ['id'] }),
    subscription(5, { event: 'DELETE', filter: roomFilter(1) }),
    subscription(6, { event: 'INSERT' }),
  ])
  const rendered = rowsOf(render([change(1, 'UPDATE', imageOf({ ...note, room: 2 }), imageOf(note))], told))
  expect(rendered.map(({ ids, dataJson }) => [ids, exactly(dataJson)['type']])).toEqual([
    [[1, 2], 'UPDATE'],
    [[3], 'INSERT'],
    [[4], 'UPDATE'],
    [[5], 'DELETE'],
  ])
  expect(exactly(rendered[1]?.dataJson ?? '')).not.toHaveProperty('old_record')
  expect(exactly(rendered[3]?.dataJson ?? '')).not.toHaveProperty('record')
})

test('each row, class and filter is asked about once, and none that no event could come of', () => {
  const other = 8
  const anns = [1, 2, 3].map(exp =>
    group('anon', { sub: 'ann', exp }, [subscription(1), subscription(2, { filter: roomFilter(exp % 2) })]),
  )
  const bob = group('anon', { sub: 'bob' }, [subscription(1, { tableId: other, event: 'INSERT' })])
  const changes = [
    change(1, 'INSERT', imageOf(note)),
    { ...change(2, 'DELETE', '{"id":1}'), table_id: other },
    { ...change(3, 'INSERT', '{"id":2}'), table_id: other },
    { ...change(4, 'INSERT', '{"id":2}'), table_id: 9 },
  ]
  const onlyDeletes = { event: 'DELETE', filter: roomFilter(9) } as const
  const eve = group('anon', { sub: 'eve' }, [subscription(1, onlyDeletes)])
  const { question } = planSight(changes, [...anns, bob, eve], NO_CLAIMS)
  expect(question.tables).toEqual([
    { tableId: NOTES, images: [imageOf(note)] },
    { tableId: other, images: ['{"id":2}'] },
  ])
  const ann = { sub: 'ann', exp: 1, role: 'anon' }
  expect(
    question.asked.map(({ tableId, claims, filter }) => [tableId, JSON.parse(claims), filter?.params]),
  ).toEqual([
    [NOTES, ann, undefined],
    [NOTES, ann, ['1']],
    [NOTES, expect.anything(), ['0']],
    [other, { sub: 'bob', role: 'anon' }, undefined],
  ])
})

test('a table whose policies begin to read a passing claim has to be asked about anew', () => {
  const told = group('anon', { sub: 'ann', exp: 1 }, [subscription(1)])
  const changes = [change(1, 'INSERT', imageOf(note))]
  const readsExp = { ...notesTable, claimsRead: ['exp'] }
  const before = planSight(changes, [told], NO_CLAIMS)
  expect(staleTables(before, answerOf(before))).toEqual([])
  expect(staleTables(before, answerOf(before, readsExp))).toEqual([NOTES])
  const after = planSight(changes, [told], new Map([[NOTES, ['exp']]]))
  expect(staleTables(after, answerOf(after, readsExp))).toEqual([])
})

test('who cannot be told what changed is told to read again, once a table', () => {
  const told = group('anon', { sub: 'ann' }, [subscription(1), subscription(2, { event: 'DELETE' })])
  const changes = [change(1, 'INSERT', imageOf(note)), change(2, 'DELETE', imageOf(note))]
  expect(render(changes, told, null)).toEqual([{ reason: 'The table is gone.' }])
  const altered = render(changes, told, { fits: false })
  expect(altered).toEqual([{ reason: expect.stringContaining('other columns') }])
})

test('a change without an image asks to read again those whom it may concern, at its place among the others', () => {
  const told = group('anon', { sub: 'ann' }, [subscription(1), subscription(2, { event: 'DELETE' })])
  const admin = group('service_role', {}, [subscription(1)])
  const changes = [
    change(1, 'DELETE', imageOf(note)),
    { ...change(2, 'INSERT', null), error: 'value "secret" is bad' },
    change(3, 'UPDATE', imageOf(note), null),
    change(4, 'DELETE', imageOf(note)),
  ]
  const both = { ids: [1, 2] }
  const refetch = { reason: expect.not.stringContaining('secret') }
  expect(render(changes, told)).toMatchObject([{ ...both, number: 1 }, refetch, { ...both, number: 4 }])
  expect(reasonsOf(render(changes, admin))[0]).toContain('secret')
  const deletes = group('anon', { sub: 'ann' }, [subscription(1, { event: 'DELETE' })])
  expect(render([change(1, 'INSERT', null)], deletes)).toEqual([])
})

test('who may hold rows of a table is told that it was truncated, between what came before it and after it', () => {
  const changes = [
    change(1, 'INSERT', imageOf(note)),
    { ...change(2, 'TRUNCATE', null), error: 'the table was truncated' },
    change(3, 'INSERT', imageOf(note)),
  ]
  const of = (event: '*' | 'INSERT' | 'DELETE') =>
    render(changes, group('anon', { sub: 'ann' }, [subscription(1, { event })]))
  const truncated = { reason: '"public"."my ""notes""" was truncated.' }
  const again = [...changes, change(4, 'TRUNCATE', null), change(5, 'TRUNCATE', null)]
  const told = render(again, group('anon', { sub: 'ann' }, [subscription(1)]))
  expect(told).toMatchObject([{ number: 1 }, truncated, { number: 3 }, truncated])
  expect(of('*')).toMatchObject([{ number: 1 }, truncated, { number: 3 }])
  expect(of('DELETE')).toEqual([truncated])
  expect(of('INSERT')).toMatchObject([{ number: 1 }, { number: 3 }])
})

test('what raises is told to its class alone, with the values of rows to service_role alone', () => {
  const raised = { code: 'P0001', message: 'row of bob' }
  const [ann, bob, admin] = [
    group('anon', { sub: 'ann' }, [subscription(1), subscription(2, { filter: roomFilter(1) })]),
    group('anon', { sub: 'bob' }, [subscription(1), subscription(2, { filter: roomFilter(1) })]),
    group('service_role', {}, [subscription(1), subscription(2, { filter: roomFilter(1) })]),
  ] as const
  const plan = planSight([change(1, 'INSERT', imageOf(note))], [ann, bob, admin], NO_CLAIMS)
  const answer = answerOf(plan)
  const [bobs, filterOfAdmin] = [2, 5]
  const isFailed = (index: number) => index === bobs || index === filterOfAdmin
  const failed: SightAnswer = {
    ...answer,
    seen: answer.seen.map((seen, index) => (isFailed(index) ? raised : seen)),
  }
  const rendering = renderChanges(plan, failed)
  expect(rendering(ann)).toMatchObject([{ ids: [1, 2] }])
  expect(rendering(bob)).toEqual([{ reason: expect.stringMatching(/^policy raised: P0001 The policy/) }])
  expect(rendering(admin)).toMatchObject([{ reason: 'filter raised: P0001 row of bob' }, { ids: [1] }])
})

test('what was not answered, and who was not asked about, is told so and sees nothing', () => {
  const told = group('anon', { sub: 'ann' }, [subscription(1)])
  const stranger = group('anon', { sub: 'eve' }, [subscription(1)])
  const plan = planSight([change(1, 'INSERT', imageOf(note))], [told], NO_CLAIMS)
  const unanswered = renderChanges(plan, { ...answerOf(plan), seen: [] })(told)
  expect(unanswered).toEqual([{ reason: expect.stringContaining('XX000') }])
  expect(renderChanges(plan, answerOf(plan))(stranger)).toEqual([{ reason: expect.any(String) }])
})

test('a column that the role may not select any more is in no event, nor does a filter tell of it', () => {
  const told = group('anon', { sub: 'ann' }, [
    subscription(1),
    subscription(2, { columns: ['room'] }),
    subscription(3, { filter: roomFilter(1) }),
  ])
  const all = render([change(1, 'INSERT', imageOf(note))], told, {
    selectable: { anon: ['id', 'owner'], service_role: [], authenticated: [] },
  })
  expect(rowsOf(all).map(({ ids }) => ids)).toEqual([[1]])
  expect(exactly(rowsOf(all)[0]?.dataJson ?? '')['record']).toEqual({
    id: 'number 9007199254740993',
    owner: 'ann',
  })
  expect(reasonsOf(all)).toEqual([
    expect.stringMatching(/^permission denied for all columns/),
    expect.stringMatching(/^permission denied for column "room"/),
  ])
})

test('however many groups get an event, its text is made once', () => {
  const groups = ['ann', 'bob'].map(sub => group('anon', { sub }, [subscription(1)]))
  let reads = 0
  const counted: LoggedChange = {
    ...change(1, 'INSERT', null),
    get row() {
      reads++
      return imageOf(note)
    },
  }
  const plan = planSight([counted], groups, NO_CLAIMS)
  reads = 0
  const rendering = renderChanges(plan, { ...answerOf(plan), seen: ['all', 'all'] })
  expect(new Set(groups.map(told => rowsOf(rendering(told))[0]?.dataJson)).size).toBe(1)
  expect(reads).toBe(1)
})
