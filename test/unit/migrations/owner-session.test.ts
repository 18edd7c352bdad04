import { expect, it } from 'vitest'
import { passOn } from '../../../src/features/migrations/runner/owner-session.ts'

const said = (severity: string, code: string) =>
  passOn(Promise.reject(Object.assign(new Error('words of Postgres'), { severity, code })))

it('what Postgres refuses passes, and what ends the session leaves the outcome open', async () => {
  await expect(said('ERROR', '42P01')).rejects.toMatchObject({ severity: 'ERROR', code: '42P01' })
  for (const severity of ['FATAL', 'PANIC']) {
    await expect(said(severity, '57P01')).rejects.toMatchObject({
      code: 'database_unavailable',
      outcomeUnknown: true,
    })
  }
})
