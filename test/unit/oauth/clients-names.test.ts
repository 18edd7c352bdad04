// What people see of a client must be there to be seen, and say what it seems to say.

import { describe, expect, it } from 'vitest'
import { OAuthClientIn } from '../../../src/features/oauth/clients/schemas.ts'

const isTaken = (client_name: string) => OAuthClientIn.safeParse({ client_name }).success

describe('the name of a client', () => {
  // On the consent screen a name without a visible character is no name, and U+202E turns what follows it around.
  it.each([
    ' ',
    '\u00a0\u2003',
    '\u3164',
    '\u2800',
    '\u115f',
    '\u0301',
    '\u200b',
    'Web\u200bShop',
    '\u202eknaB',
    'Web\u2066Shop',
    'Shop\ufeff',
    'Web\u00adShop',
    'Web\u2028Shop',
    'two\nlines',
  ])('is never %j', name => {
    expect(isTaken(name)).toBe(false)
  })

  it.each(['', 'Web Shop', 'Café', '書店', 'متجر', '🛒', '7', '+'])('may be %j', name => {
    expect(isTaken(name)).toBe(true)
  })
})
