// A signed-in user, at an application whose scopes have wildcards: both lists are as long as the sender likes. The one
// is so by the address that begins the flow, the other by the form that ends it.

import { expect, it } from 'vitest'
import { splitChoice } from '../../../src/features/oauth/bridge/decide-consent.ts'

it('a choice among a great many scopes comes to an end', { timeout: 10_000 }, () => {
  const scopes = (first: number) => Array.from({ length: 150_000 }, (_, i) => `app.${first + i}`)
  const { granted, notRequested } = splitChoice(scopes(0), scopes(150_000))
  expect([granted, notRequested.length]).toEqual([[], 150_000])
})
