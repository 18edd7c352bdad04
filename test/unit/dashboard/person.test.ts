// People and their devices in words, whatever traits and user agents say.

import { expect, it } from 'vitest'
import { emailOf, nameOf, roleOf, titleOf } from '../../../dashboard/src/parts/person.ts'
import { deviceName } from '../../../dashboard/src/views/identities/device-name.ts'

const person = (traits: object, metadata: object = {}) =>
  ({ id: 'id-1', traits, metadata_public: metadata }) as Parameters<typeof titleOf>[0]

it('takes a name as one text or as its parts', () => {
  expect(nameOf(person({ name: 'Ada Lovelace' }))).toBe('Ada Lovelace')
  expect(nameOf(person({ name: { first: 'Ada', last: 'Lovelace' } }))).toBe('Ada Lovelace')
  expect(nameOf(person({ name: { last: 'Lovelace' } }))).toBe('Lovelace')
  expect(nameOf(person({ name: ['Ada'] }))).toBe(null)
})

it('shows somebody by the first of email, name and id that there is', () => {
  expect(titleOf(person({ email: 'ada@example.com', name: 'Ada' }))).toBe('ada@example.com')
  expect(titleOf(person({ name: 'Ada' }))).toBe('Ada')
  expect(titleOf(person({ email: 7 }))).toBe('id-1')
  expect([
    emailOf(person({})),
    roleOf(person({}, { role: 'admin' })),
    roleOf(person({}, { role: 1 })),
  ]).toEqual([null, 'admin', null])
})

it('names a browser and its system, and shows another program as it calls itself', () => {
  const chrome =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/141.0 Safari/537.36'
  expect(deviceName(chrome)).toBe('Chrome on macOS')
  expect(deviceName(`${chrome} Edg/141.0`)).toBe('Edge on macOS')
  expect(deviceName('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')).toBe(
    'Firefox on Linux',
  )
  expect(deviceName('curl/8.5.0')).toBe('curl/8.5.0')
  expect(deviceName(null)).toBe('Unknown device')
})
