// What may stand in the answers to the bridge's screens: nothing that no server or address could carry on.

import { describe, expect, it } from 'vitest'
import { ConsentNo, ConsentYes } from '../../../src/features/oauth/bridge/consent-schemas.ts'
import { formField, readSubmitted } from '../../../src/features/oauth/bridge/submitted.ts'

const submission = (body: unknown) => ({
  contentType: 'application/json',
  readBodyText: async () => JSON.stringify(body),
})

describe('a challenge', () => {
  // Half of a surrogate pair cannot be percent-encoded: it was an error of our own.
  it.each(['', '\ud800', 'a\0', 'a b', 'ä', 'a\n', 'x'.repeat(16_385)])('is never %j', async challenge => {
    await expect(readSubmitted(ConsentNo, submission({ challenge }))).rejects.toMatchObject({
      code: 'validation_failed',
    })
    expect(() => formField(new URLSearchParams({ challenge }), 'challenge')).toThrow(
      expect.objectContaining({ code: 'validation_failed' }),
    )
  })

  it('is printable ASCII', async () => {
    const challenge = "AZaz09-_=+/.~!'"
    await expect(readSubmitted(ConsentNo, submission({ challenge }))).resolves.toMatchObject({
      body: { challenge },
    })
  })
})

describe('the words of a refusal', () => {
  it.each(['\ud800', 'a\0', 'two\nlines', 'x'.repeat(501)])('are never %j', error_description => {
    expect(ConsentNo.safeParse({ challenge: 'c', error_description }).success).toBe(false)
  })

  it('may be in any language', () => {
    const no = ConsentNo.parse({ challenge: 'c', error_description: 'Heute nicht, 明日 👋' })
    expect(no.error_description).toBe('Heute nicht, 明日 👋')
  })
})

it('lists few mistakes of many', async () => {
  const body = { challenge: 'c', grant_scope: Array(50).fill(1) }
  const failure = await readSubmitted(ConsentYes, submission(body)).catch(err => err)
  expect(failure.code).toBe('validation_failed')
  expect(failure.detail.split('; ')).toHaveLength(10)
})
