import { expect, it } from 'vitest'
import { readExampleRow } from '../../../src/features/webhooks/delivery/example-row.ts'

// Of kinds of columns there is a test over HTTP in test/contract.
it('is an object without fields for a table that is gone', async () => {
  expect(await readExampleRow({ query: async () => [] }, 16_400)).toBe('{}')
})
