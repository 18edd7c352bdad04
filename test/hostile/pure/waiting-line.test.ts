/** Callers that wait for a connection take turns, however many batches one of them has in the line. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Caller } from '../../../sql-gateway/shares.ts'
import { WaitingLine } from '../../../sql-gateway/waiting-line.ts'

interface Place {
  caller: Caller | undefined
  id: number
}

const place = (name: string, id: number): Place => ({ caller: { key: name, name }, id })

function drain(line: WaitingLine<Place>): string[] {
  const order: string[] = []
  for (let next = line.next(() => true); next !== undefined; next = line.next(() => true))
    order.push(`${next.caller?.name}${next.id}`)
  return order
}

it('serves callers in turns, and each caller in its order', () => {
  const line = new WaitingLine<Place>(100)
  for (const [id, name] of ['a', 'a', 'a', 'b', 'c', 'b'].entries()) line.join(place(name, id))
  expect(drain(line)).toEqual(['a0', 'b3', 'c4', 'a1', 'b5', 'a2'])
})

it('passes over callers who may not go, and they keep their turn', () => {
  const line = new WaitingLine<Place>(100)
  for (const [id, name] of ['a', 'b', 'a'].entries()) line.join(place(name, id))
  expect(line.next(caller => caller?.name !== 'a')?.id).toBe(1)
  expect(line.next(caller => caller?.name === 'z')).toBeUndefined()
  expect(drain(line)).toEqual(['a0', 'a2'])
})

it('loses and repeats nobody, whatever joins and leaves', () => {
  const step = fc.oneof(
    fc.record({ join: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ leave: fc.nat({ max: 40 }) }),
    fc.constant({ next: true }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const line = new WaitingLine<Place>(1_000)
      const inside = new Map<number, Place>()
      for (const [id, what] of steps.entries()) {
        if ('join' in what) {
          const joined = place(what.join, id)
          expect(line.join(joined)).toBe('joined')
          inside.set(id, joined)
        } else if ('leave' in what) {
          const leaving = inside.get(what.leave)
          if (leaving) line.leave(leaving)
          inside.delete(what.leave)
        } else {
          const next = line.next(() => true)
          expect(next === undefined).toBe(inside.size === 0)
          if (next) expect(inside.delete(next.id)).toBe(true)
        }
        expect(line.size).toBe(inside.size)
      }
      expect(drain(line).length).toBe(inside.size)
    }),
  )
})

it('has places for others when one caller, or one key, has filled its share', () => {
  const line = new WaitingLine<Place>(9)
  const join = (key: string, client: string) =>
    line.join({ caller: { key, name: `${key}/${client}` }, id: 0 })
  expect(Array.from({ length: 4 }, () => join('k', '1'))).toEqual([
    ...Array(3).fill('joined'),
    'full_for_caller',
  ])
  expect(Array.from({ length: 4 }, () => join('k', '2')).filter(word => word === 'joined')).toHaveLength(3)
  expect(join('k', '3')).toBe('full_for_caller')
  expect(Array.from({ length: 4 }, () => join('other', '1'))).toEqual([...Array(3).fill('joined'), 'full'])
})
