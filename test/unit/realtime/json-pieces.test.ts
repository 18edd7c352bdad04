// Pieces of JSON as they were written, whatever the JSON.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { elementTexts, isDeeperThan, memberTexts } from '../../../src/features/realtime/json-pieces.ts'

const indent = fc.constantFrom(undefined, 1, '\t', '\r\n ')
const value = fc.jsonValue()

test('an element is what stands between the commas', () => {
  fc.assert(
    fc.property(fc.array(value), indent, (all, space) => {
      const json = JSON.stringify(all, null, space)
      const texts = elementTexts(json)
      expect(texts).toHaveLength(all.length)
      all.forEach((one, i) => {
        const text = texts[i] ?? ''
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(one)))
        expect([text.trim(), json.includes(text)]).toEqual([text, true])
      })
    }),
  )
})

test('a member is found by its name, and its last one counts', () => {
  const name = fc.oneof(fc.string(), fc.constantFrom('payload', 'a"b', '\\', 'ä'))
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), name, indent, (members, absent, space) => {
      const gap = typeof space === 'string' ? space : ''
      const written = members.map(
        ([key, one]) => `${JSON.stringify(key)}${gap}:${gap}${JSON.stringify(one, null, space)}${gap}`,
      )
      const json = `${gap}{${gap}${written.join(`,${gap}`)}${gap}}${gap}`
      const parsed = JSON.parse(json)
      for (const [key] of [...members, [absent] as const]) {
        const text = memberTexts(json).get(key)
        expect(text?.trim()).toBe(text)
        expect(text === undefined ? undefined : JSON.parse(text)).toEqual(
          Object.hasOwn(parsed, key) ? parsed[key] : undefined,
        )
      }
    }),
  )
})

test('depth is that of containers, not of brackets in text', () => {
  const depthOf = (one: unknown): number =>
    typeof one === 'object' && one !== null ? 1 + Math.max(0, ...Object.values(one).map(depthOf)) : 0
  fc.assert(
    fc.property(
      fc.oneof(value, fc.constant([{ '[[': ']{"\\' }])),
      fc.nat(6),
      indent,
      (one, depthMax, space) => {
        expect(isDeeperThan(JSON.stringify(one, null, space), depthMax)).toBe(depthOf(one) > depthMax)
      },
    ),
  )
})

test('text that is no JSON has a depth too, and ends', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('[', ']', '"', '\\', 'x') }), text => {
      expect(typeof isDeeperThan(text, 2)).toBe('boolean')
    }),
  )
})
