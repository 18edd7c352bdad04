// The query string as a whole: decoding, reserved names, select and order.

import { describe, expect, test } from 'vitest'
import { parseQueryString } from '../../../src/features/data-api/grammar/query-string.ts'
import { queryNeed } from '../../../src/features/data-api/verbs/read-rows.ts'

const column = (name: string) => ({ name, path: [] })
const code = (expected: string) => expect.objectContaining({ code: expected })

describe('select', () => {
  const select = (text: string) => parseQueryString(`?select=${encodeURIComponent(text)}`).select

  test('without one, or with an empty one, means every column', () => {
    expect(parseQueryString('').select).toEqual([{ kind: 'all' }])
    expect(select(' ')).toEqual([{ kind: 'all' }])
  })

  test('reads names, aliases, paths and casts', () => {
    const path = [
      { arrow: '->', operand: 'a' },
      { arrow: '->', operand: -1 },
      { arrow: '->>', operand: 'b c' },
    ]
    expect(select('id, n:"full name" ,k:data->a->-1->>"b c"::int,full name,a-b')).toEqual([
      { kind: 'field', field: column('id'), alias: undefined, cast: undefined, aggregate: undefined },
      { kind: 'field', field: column('full name'), alias: 'n', cast: undefined, aggregate: undefined },
      { kind: 'field', field: { name: 'data', path }, alias: 'k', cast: 'int', aggregate: undefined },
      { kind: 'field', field: column('full name'), alias: undefined, cast: undefined, aggregate: undefined },
      { kind: 'field', field: column('a-b'), alias: undefined, cast: undefined, aggregate: undefined },
    ])
  })

  test.each(['a,,b', ',a', 'a,', 'a b"c', 'a::', 'a->', '"a', 'a;b', `${'x'.repeat(64)}`, '→'])(
    '%s is refused',
    text => expect(() => select(text)).toThrow(code('invalid_select')),
  )

  const embed = { kind: 'embed', alias: undefined, hint: undefined, isInner: false, isSpread: false }

  test.each([
    ['rel(*)', { ...embed, target: 'rel', items: [{ kind: 'all' }] }],
    ['rel()', { ...embed, target: 'rel', items: [] }],
    ['x:rel!fk!inner( a )', { ...embed, target: 'rel', alias: 'x', hint: 'fk', isInner: true }],
    ['rel!left!fk(a)', { ...embed, target: 'rel', hint: 'fk' }],
    ['...rel!inner(a)', { ...embed, target: 'rel', isInner: true, isSpread: true }],
    ['a(b(c(d)))', { items: [{ target: 'b', items: [{ target: 'c', items: [{ field: column('d') }] }] }] }],
    ['count()', { kind: 'count', isBare: false, alias: undefined, cast: undefined }],
    ['n:count()::text', { kind: 'count', alias: 'n', cast: 'text' }],
    ['count', { kind: 'field', field: column('count'), aggregate: undefined }],
    ['a.sum()', { field: column('a'), aggregate: { name: 'sum', cast: undefined } }],
    ['s:a::int.avg()::text', { alias: 's', cast: 'int', aggregate: { name: 'avg', cast: 'text' } }],
  ])('reads %s', (text, item) => expect(select(text)).toMatchObject([item]))

  test.each([
    'rel(a',
    'rel(a,)',
    'rel)',
    'x:...rel(a)',
    'rel!(a)',
    'rel!a!b!c(x)',
    'rel(a);',
    'a.sum(b)',
    'count(x)',
  ])('%s is no item', text => expect(() => select(text)).toThrow(code('invalid_select')))

  test('a tree of relations has at most ten levels and fifty relations', () => {
    const nested = (depth: number) => `${'r('.repeat(depth)}id${')'.repeat(depth)}`
    const wide = (count: number) => Array(count).fill('r(id)').join()
    expect(select(nested(10))).toHaveLength(1)
    expect(() => select(nested(11))).toThrow('at most 10 deep')
    expect(select(wide(50))).toHaveLength(50)
    expect(() => select(wide(51))).toThrow('at most 50 relations')
    expect(() => select(`a(${wide(25)}),b(${wide(25)})`)).toThrow('at most 50 relations')
  })

  test('names the character where reading stopped', () => {
    expect(() => select('id,na;me')).toThrow('"select" could not be read at character 6')
  })
})

describe('order', () => {
  const order = (text: string) => parseQueryString(`?order=${encodeURIComponent(text)}`).order

  test('reads directions, nulls and paths', () => {
    expect(order('a.desc.nullslast,b,data->>k.asc,c.nullsfirst,r(d).desc')).toMatchObject([
      { field: column('a'), direction: 'desc', nulls: 'last' },
      { field: column('b'), direction: undefined, nulls: undefined },
      { field: { name: 'data', path: [{ arrow: '->>', operand: 'k' }] }, direction: 'asc', nulls: undefined },
      { field: column('c'), direction: undefined, nulls: 'first' },
      { relation: 'r', field: column('d'), direction: 'desc' },
    ])
  })

  test.each(['a.up', 'a.nullslast.desc', 'a.', 'a,,b', 'rel(a', '1;2'])('%s is refused', text =>
    expect(() => order(text)).toThrow(code('invalid_order')),
  )
})

describe('parameters', () => {
  test('+ and %20 are spaces, %2B is a plus', () => {
    expect(parseQueryString('?a=eq.x+y%20z%2B').filters).toMatchObject([{ test: { value: 'x y z+' } }])
  })

  test('the same filter may come twice, a reserved name may not', () => {
    expect(parseQueryString('?a=gt.1&a=lt.9').filters).toHaveLength(2)
    expect(() => parseQueryString('?limit=1&limit=2')).toThrow(code('invalid_parameter'))
  })

  // `like.%an%` comes so from what does not encode it; two digits would be an escape.
  test.each([
    ['like.%an%', '%an%'],
    ['eq.100%', '100%'],
    ['like(any).{%plan%,%}', '{%plan%,%}'],
    ['eq.%', '%'],
    ['eq.%25ff%zz', '%ff%zz'],
  ])('a percent sign that begins no escape stands for itself: %s', (text, value) => {
    const [filter] = parseQueryString(`?a=${text}`).filters
    expect(filter).toMatchObject({ test: text.includes('any') ? { values: value } : { value } })
  })

  test.each(['?a=eq.%00', '?a=eq.%FF', '?a=eq.%E0%A4%A', '?%ED%A0%80=eq.1', '?or=(a.eq.%00)'])(
    '%s is refused',
    search => expect(() => parseQueryString(search)).toThrow(code('invalid_parameter')),
  )

  test('dots lead through embedded relations, but not within double quotes', () => {
    const search =
      '?a.b.id=eq.1&a.or=(x.eq.1,y.eq.2)&a.b.not.and=(z.is.null)&a.limit=3&a.b.order=id&a.data->>k=eq.1'
    expect(parseQueryString(search).embedded).toMatchObject([
      {
        path: ['a', 'b'],
        filters: [{ field: column('id') }, { isNegated: true }],
        order: [{ field: column('id') }],
      },
      {
        path: ['a'],
        filters: [{ operator: 'or' }, { field: { name: 'data' } }],
        limit: '3',
        offset: undefined,
      },
    ])
    expect(parseQueryString(`?${encodeURIComponent('"a.b"')}=eq.1`).filters).toMatchObject([
      { field: { name: 'a.b' } },
    ])
    expect(() => parseQueryString('?a.limit=1&a.limit=2')).toThrow('"a.limit" is given twice')
  })

  test('columns and on_conflict are lists of names', () => {
    const query = parseQueryString('?columns=a,"b,c",a&on_conflict=x')
    expect([query.columns, query.onConflict]).toEqual([['a', 'b,c'], ['x']])
    for (const bad of ['?columns=a;b', '?columns=', '?on_conflict='])
      expect(() => parseQueryString(bad)).toThrow(code('invalid_parameter'))
  })
})

describe('what a request needs to know of its table', () => {
  test.each([
    ['?select=id,name&or=(id.eq.1,rank.gt.2)&order=id', 'nothing'],
    ['?select=count', 'relation'],
    ['?or=(id.eq.1,not.and(to_json.is.null,id.gt.2))', 'relation'],
    ['?order=max', 'relation'],
  ])('%s: %s', (search, need) => expect(queryNeed(parseQueryString(search))).toBe(need))
})

test.each([
  ['?selct=id', '"select"'],
  ['?limt=1', '"limit"'],
  ['?oder=id.desc', '"order"'],
  ['?on_conflit=id', '"on_conflict"'],
])('%s is told the parameter that it is near to', (search, near) => {
  const hint = expect.stringContaining(near)
  expect(() => parseQueryString(search)).toThrow(expect.objectContaining({ code: 'invalid_filter', hint }))
})
