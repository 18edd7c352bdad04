// The dashboard reads and prints tuples as the server does, though it has a reader of its own that knows places.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as dashboard from '../../../dashboard/src/parts/tuples/tuple-text.ts'
import type { RelationTuple } from '../../../src/clients/permission-server.ts'
import * as server from '../../../src/features/permissions/tuple-text.ts'

const text = fc.string({
  unit: fc.constantFrom('a', 'B', ':', '#', '@', '"', '\\', '(', ')', '.', 'ü'),
  maxLength: 12,
})
const name = text.filter(each => each !== '')
const subject = fc.oneof(
  fc.record({ subject_id: name }),
  fc.record({ subject_set: fc.record({ namespace: name, object: name, relation: text }) }),
)
const tuple = fc
  .tuple(fc.record({ namespace: name, object: name, relation: name }), subject)
  .map(([names, of]) => ({ ...names, ...of }) as dashboard.Tuple)

describe('a tuple in the dashboard', () => {
  it('is printed as the server prints it, and read back', () => {
    fc.assert(
      fc.property(tuple, value => {
        const printed = dashboard.printTuple(value)
        expect(printed).toBe(server.printTuple(value as unknown as RelationTuple))
        expect(dashboard.readTuple(printed)).toMatchObject({ outcome: 'read', tuple: value })
      }),
    )
  })

  it('is read from any text as the server reads it, but for names that are empty', () => {
    fc.assert(
      fc.property(text, text, text, text, (...parts) => {
        for (const value of [parts.join(''), `${parts[0]}:${parts[1]}#${parts[2]}@${parts[3]}`]) {
          const read = server.parseTuple(value)
          const own = dashboard.readTuple(value)
          if (own.outcome === 'read') expect(read).toEqual({ outcome: 'read', value: own.tuple })
          else if (!own.problem.includes('empty')) expect(read.outcome).toBe('unreadable')
        }
      }),
    )
  })

  it.each([
    ['', 'namespace', [0, 0]],
    ['Project', 'namespace', [0, 7]],
    ['Project:apollo', 'object', [8, 14]],
    ['Project:apollo#owner', 'relation', [15, 20]],
    ['Project:#owner@ann', 'object is empty', [8, 8]],
    ['Project:apollo#owner@', 'subject is empty', [21, 21]],
    [`Project:apollo#${'o'.repeat(65)}@ann`, 'longer than 64', [15, 80]],
  ])('that is wrong is said with its place: %s', (value, problem, [start, end]) => {
    const read = dashboard.readTuple(value)
    expect(read).toMatchObject({ outcome: 'unreadable', at: { start, end } })
    expect(read).toHaveProperty('problem', expect.stringContaining(problem))
  })
})
