import { describe, expect, it } from 'vitest'
import { cleanToken, readJwt } from '../../../dashboard/src/parts/jwt.ts'

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const HEADER = part({ alg: 'RS256' })
const PAYLOAD = part({ sub: 'ann', name: 'Zoë' })

describe('readJwt', () => {
  it('reads header, payload and signature', () => {
    expect(readJwt(`${HEADER}.${PAYLOAD}.c2ln`)).toMatchObject({
      kind: 'jwt',
      header: { alg: 'RS256' },
      payload: { sub: 'ann', name: 'Zoë' },
      payloadJson: '{"sub":"ann","name":"Zoë"}',
      signature: 'c2ln',
    })
  })

  it.each([
    ['eyJ', undefined, 'It has one part'],
    [`${HEADER}.${PAYLOAD}`, undefined, 'It has 2 parts'],
    [`${HEADER}.${PAYLOAD}.a.b`, undefined, 'It has 4 parts'],
    [`.${PAYLOAD}.`, 'header', 'It is empty'],
    [`ey+x.${PAYLOAD}.`, 'header', 'Character 3, “+”, is not of base64url: that is plain base64'],
    [`eyJhb.${PAYLOAD}.`, 'header', 'it is cut off'],
    [`${part('text')}.${PAYLOAD}.`, 'header', 'It holds "text", not a JSON object'],
    [`${HEADER}.${part([1])}.`, 'payload', 'It holds a list, not a JSON object'],
    [`${HEADER}.${Buffer.from('{"a":').toString('base64url')}.`, 'payload', 'not to JSON'],
    [`${HEADER}.${Buffer.from([0xff, 0xfe]).toString('base64url')}.`, 'payload', 'not to UTF-8'],
    [`${HEADER}.${PAYLOAD}.c2l%`, 'signature', 'Character 4, “%”'],
  ])('says which part of %s is wrong, and why', (token, which, problem) => {
    const reading = readJwt(token)
    expect(reading).toMatchObject({ kind: 'malformed', part: which })
    expect(reading.kind === 'malformed' && reading.problem).toContain(problem)
  })

  it('knows what is no JWT: nothing, opaque tokens, and encrypted ones by their header', () => {
    expect(readJwt('')).toEqual({ kind: 'empty' })
    expect(readJwt('ory_at_abc.def')).toEqual({ kind: 'opaque' })
    expect(readJwt('6f3c2b1a')).toEqual({ kind: 'opaque' })
    expect(readJwt(`${part({ enc: 'A256GCM' })}.a.b.c.d`)).toEqual({
      kind: 'encrypted',
      header: { enc: 'A256GCM' },
      headerJson: '{"enc":"A256GCM"}',
    })
  })
})

it('takes a token out of what people copy with it', () => {
  for (const text of ['Authorization: Bearer a.b.c', ' bearer a.b\n.c ', '"a.b.c",', "'a.b.c'"]) {
    expect(cleanToken(text)).toBe('a.b.c')
  }
})
