import { expect, it } from 'vitest'
import { readConfig } from '../../../listener/config.ts'

const SECRET = 's'.repeat(32)
const ENV = {
  LISTENER_DATABASE_URL: 'postgresql://owner:password@db:5432/quoin',
  INGEST_URL: 'https://api.example.com/internal/row-changes',
  INGEST_SECRET: SECRET,
}

it('signs with the first of two secrets', () => {
  const next = 'n'.repeat(40)
  expect(readConfig({ ...ENV, INGEST_SECRET: `${next},${SECRET}` }).ingestSecret).toBe(next)
})

it.each([
  ['LISTENER_DATABASE_URL', undefined],
  ['LISTENER_DATABASE_URL', 'https://db'],
  ['INGEST_URL', undefined],
  ['INGEST_URL', 'ftp://api.example.com/internal/row-changes'],
  ['INGEST_URL', 'https://api.example.com/'],
  ['INGEST_URL', 'https://api.example.com/p/internal/row-changes'],
  ['INGEST_URL', 'http://api.example.com/internal/row-changes'],
  ['INGEST_SECRET', undefined],
  ['INGEST_SECRET', 's'.repeat(31)],
  ['INGEST_SECRET', `${SECRET},`],
  ['LISTENER_HEALTH_PORT', '-1'],
  ['LISTENER_STANDBY_POLL_MS', '0'],
])('names %s when it is %s', (name, value) => {
  expect(() => readConfig({ ...ENV, [name]: value })).toThrow(name)
})

it('sends in the clear to this machine, or where it is told to', () => {
  for (const env of [
    { INGEST_URL: 'http://127.0.0.1:8787/internal/row-changes' },
    { INGEST_URL: 'http://[::1]:8787/internal/row-changes' },
    { INGEST_URL: 'http://worker:8787/internal/row-changes', LISTENER_ALLOW_PLAIN_HTTP: 'true' },
  ]) {
    expect(readConfig({ ...ENV, ...env }).ingestUrl.href).toBe(env.INGEST_URL)
  }
})

it('names everything that is wrong at once', () => {
  const limits = { LISTENER_STANDBY_POLL_MS: 'x', LISTENER_FALLBACK_LOOK_MS: 'y' }
  expect(() => readConfig({ ...ENV, ...limits })).toThrow(/STANDBY_POLL_MS.*FALLBACK_LOOK_MS/)
  const inTheClear = { INGEST_URL: 'http://worker:8787/internal/row-changes' }
  expect(() => readConfig({ ...ENV, ...limits, ...inTheClear })).toThrow(
    /STANDBY_POLL_MS.*INGEST_URL is not https/,
  )
  expect(() => readConfig({})).toThrow(/LISTENER_DATABASE_URL.*INGEST_URL.*INGEST_SECRET/)
})

it('never repeats a secret in an error', () => {
  expect(() => readConfig({ ...ENV, INGEST_SECRET: 'hunter2' })).not.toThrow(/hunter2/)
})
