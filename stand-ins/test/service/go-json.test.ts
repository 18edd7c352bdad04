// JSON bodies as Go's encoding/json reads them.

import { describe, expect, it } from 'vitest'
import { HydraError } from '../../oauth-server/wire/hydra-error.ts'
import { duration, readBody } from '../../oauth-server/wire/request-json.ts'
import {
  anything,
  decodeObject,
  firstValue,
  flag,
  integer,
  text,
  texts,
  time,
} from '../../service/go-json.ts'

describe('firstValue', () => {
  it.for([
    ['{"a":[1,{"b":"}"}]} trailing', { a: [1, { b: '}' }] }],
    ['{"a":"\\"}"}}}}', { a: '"}' }],
    [' \n"text" 5', 'text'],
    ['17,18', 17],
    ['null', null],
    ['[]]', []],
  ] as const)('reads the first of %j', ([body, value]) => {
    expect(firstValue(body)).toEqual(value)
  })

  it.for([
    ['', 'EOF'],
    ['  \n', 'EOF'],
    ['{"a":', 'unexpected EOF'],
    ['"text', 'unexpected EOF'],
    ['[1,', 'unexpected EOF'],
    ['{a:1}', 'invalid character'],
    ['nonsense', 'invalid character'],
  ] as const)('refuses %j with %s', ([body, message]) => {
    expect(() => firstValue(body)).toThrow(message)
  })

  it('reads and refuses strings of megabytes', () => {
    const long = 'x'.repeat(16 * 1024 * 1024)
    expect(firstValue(`["${long}"] 5`)).toEqual([long])
    expect(() => firstValue(`["${long}`)).toThrow('unexpected EOF')
    const escapes = String.raw`\\\"`.repeat(1_000_000)
    expect(firstValue(`"${escapes}" 5`)).toHaveLength(2_000_000)
    expect(() => firstValue(`"${escapes}\\"`)).toThrow('unexpected EOF')
  })

  it('ends at a depth of 10 000, as Go does', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(firstValue(nested(10_000))).toHaveLength(1)
    for (const text of [nested(10_001), '['.repeat(10_001), '{"a":'.repeat(10_001)])
      expect(() => firstValue(text)).toThrow('exceeded max depth')
  })
})

describe('decodeObject', () => {
  const decode = (value: unknown) =>
    decodeObject(value, 'x.Thing', {
      name: text,
      tags: texts,
      on: flag,
      size: integer,
      ttl: duration,
      any: anything,
    })

  it('matches names whatever their case, the last one counting, and ignores unknown ones', () => {
    expect(decode({ NAME: 'first', Name: 'last', other: 1 })).toEqual({ name: 'last' })
  })

  it('takes null for not given, except where any JSON may be and where a list may be none', () => {
    expect(decode({ name: null, on: null, size: null, ttl: null, any: null, tags: null })).toEqual({
      any: null,
      tags: null,
    })
    expect(decode(null)).toEqual({})
    expect(decode({ tags: [null, 'a'] })).toEqual({ tags: ['', 'a'] })
  })

  it('writes durations in their plain form', () => {
    expect(decode({ ttl: '90m' })).toEqual({ ttl: '1h30m0s' })
  })

  it.for([
    [[], 'array into Go value of type x.Thing'],
    ['x', 'string into Go value of type x.Thing'],
    [{ name: 1 }, 'number into Go struct field Thing.name of type string'],
    [{ tags: 'a' }, 'string into Go struct field Thing.tags'],
    [{ tags: [1] }, 'number into Go struct field Thing.tags of type string'],
    [{ on: 'true' }, 'string into Go struct field Thing.on of type bool'],
    [{ size: 1.5 }, 'number into Go struct field Thing.size of type int'],
    [{ ttl: 5 }, 'number into Go struct field Thing.ttl of type string'],
    [{ ttl: 'soon' }, 'time: invalid duration "soon"'],
  ] as const)('refuses %j', ([value, message]) => {
    expect(() => decode(value)).toThrow(message)
  })

  it('knows no member of its own prototype by name', () => {
    expect(decode(JSON.parse('{"__proto__":{"name":"x"},"constructor":"y"}'))).toEqual({})
  })

  it('reads times of RFC 3339 only', () => {
    const at = (value: unknown) => decodeObject({ at: value }, 'x.Thing', { at: time })
    expect(at('2020-01-01T00:00:00.5+02:00')).toEqual({ at: '2020-01-01T00:00:00.5+02:00' })
    for (const bad of ['x', '2020-01-01', '2020-13-01T00:00:00Z'])
      expect(() => at(bad)).toThrow('parsing time')
  })
})

describe('readBody', () => {
  it('turns what cannot be decoded into the 400 of the admin API, and nothing else', () => {
    expect(() => readBody('{', value => value)).toThrow(HydraError)
    const fault = () => {
      throw new Error('a fault of ours')
    }
    expect(() => readBody('{}', fault)).toThrow('a fault of ours')
  })
})
