// Random schemas and random trees of embedded relations: /rest/v1 answers what a real PostgREST 12 answers, or the
// difference is one of those that embeds/differences.ts names. FUZZ_SCHEMAS and FUZZ_SEED in the environment ask for
// more, or for the same once more.

import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeKey } from '../../support/keys.ts'
import { startTestWorker, type TestWorker } from '../../support/worker.ts'
import { callDb, freshPrefix } from './caller.ts'
import { chosen } from './embeds/choices.ts'
import { DIFFERENCES } from './embeds/differences.ts'
import { dropSchemas, makeSchemas } from './embeds/make-schemas.ts'
import { randomRefusal, randomRequest, type TreeRequest } from './embeds/random-request.ts'
import { randomSchema } from './embeds/random-schema.ts'
import { comparable } from './embeds/same-answer.ts'
import { type Postgrest, startPostgrest } from './postgrest.ts'

const SCHEMAS = Number(process.env['FUZZ_SCHEMAS'] ?? 200)
/** The same each time, so that a run tells of the code alone; others are asked for by hand. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 39)
const REQUESTS = 4
/** Schemas that are asked at the same time. */
const AT_ONCE = 6

const t = freshPrefix()
const schemas = fc.sample(chosen(600, randomSchema), { numRuns: SCHEMAS, seed: SEED })
const names = schemas.map((_, i) => `${t}_${i}`)
const answers = { all: 0, good: 0 }
let quoin: TestWorker
let postgrest: Postgrest
let apikey: string

beforeAll(async () => {
  await makeSchemas(schemas, names)
  quoin = await startTestWorker({ vars: { DB_SCHEMAS: names.join(',') } })
  apikey = (await makeKey('anon', { rateLimitPerMinute: 1_000_000 })).key
  postgrest = await startPostgrest({ schemas: names.join(','), role: 'anon' })
})

afterAll(async () => {
  await quoin?.close()
  await postgrest?.[Symbol.asyncDispose]()
  await dropSchemas(names)
})

async function compare(asked: TreeRequest, schema: string): Promise<void> {
  const { method, body, table, query, isOrdered } = asked
  const profile = method === 'GET' ? 'accept-profile' : 'content-profile'
  const call = { method, body, headers: { ...asked.headers, [profile]: schema } }
  const path = `${table}?${query}`
  const [theirs, ours] = await Promise.all([
    callDb(`${postgrest.url}/${path}`, {}, call),
    callDb(`${quoin.url}/rest/v1/${path}`, { apikey }, call),
  ])
  answers.all += 1
  if (theirs.status < 300) answers.good += 1
  if (DIFFERENCES.some(({ applies }) => applies(asked, theirs, ours))) return
  expect(comparable(ours, isOrdered)).toEqual(comparable(theirs, isOrdered))
}

async function checkSchema(index: number): Promise<void> {
  const [schema, name] = [schemas[index], names[index]]
  if (!schema || !name) throw new TypeError(`no schema ${index}`)
  const requests = chosen(250, choices =>
    choices.chance(10)
      ? randomRefusal(choices, schema)
      : randomRequest(choices, schema, { writes: ['PATCH', 'POST', 'DELETE'] }),
  )
  const property = fc.asyncProperty(requests, asked => compare(asked, name))
  try {
    await fc.assert(property, { numRuns: REQUESTS, seed: SEED + index })
  } catch (failure) {
    throw new Error(`FUZZ_SEED=${SEED}, schema ${index}:\n${schema.sql}`, { cause: failure })
  }
}

test(`${SCHEMAS} random schemas are read as PostgREST reads them (FUZZ_SEED=${SEED})`, async () => {
  const left = [...schemas.keys()]
  const checkNext = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await checkSchema(next)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, checkNext))
  // Requests that both refuse show little.
  expect(answers.good / answers.all).toBeGreaterThan(0.75)
})
