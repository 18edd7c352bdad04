// Names from outside that every object has something under.

import { describe, expect, it } from 'vitest'
import { ownValue } from '../../../dashboard/src/parts/own-value.ts'
import { limitWords } from '../../../dashboard/src/parts/tuples/words.ts'
import { verifySignature } from '../../../dashboard/src/views/oauth2/jwt-debugger/verify-signature.ts'
import { CLAIM_WORDS } from '../../../dashboard/src/views/oauth2/jwt-debugger/words.ts'
import { changeWords } from '../../../dashboard/src/views/oauth2/overview/change-words.ts'

describe.each(['__proto__', 'constructor', 'toString', 'valueOf'])('the name %s', name => {
  it('has no value that the table does not give it', () => {
    expect(ownValue(CLAIM_WORDS, name)).toBeUndefined()
    expect(ownValue({ [name]: 1 }, name)).toBe(1)
  })

  it('is shown as any other name that nobody knows', () => {
    expect(changeWords(name)).toBe(name)
    expect(limitWords(name)).toBe('A limit was reached.')
  })

  it('is no algorithm', async () => {
    const json = { headerJson: '', payloadJson: '' }
    const parts = { header: { alg: name }, payload: {}, signature: 'c' }
    const jwt = { kind: 'jwt', token: 'a.b.c', ...parts, ...json } as const
    expect(await verifySignature(jwt, [{ kty: 'RSA' }])).toMatchObject({
      state: 'not verifiable',
      why: `“${name}” is no algorithm that this page knows.`,
    })
  })
})
