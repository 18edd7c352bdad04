// Row-level security on every level of a tree: what a person is answered is what they were answered if the rows that
// they may not see were not there at all. FUZZ_SCHEMAS and FUZZ_SEED as in embeds-equal-postgrest.test.ts.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeKey } from '../../support/keys.ts'
import { startTestWorker, type TestWorker } from '../../support/worker.ts'
import { callDb, freshPrefix } from './caller.ts'
import { chosen } from './embeds/choices.ts'
import { dropSchemas, makeSchemas } from './embeds/make-schemas.ts'
import { randomRefusal, randomRequest, type TreeRequest } from './embeds/random-request.ts'
import { randomOwnedSchemas } from './embeds/random-schema.ts'
import { comparable } from './embeds/same-answer.ts'

const SCHEMAS = Number(process.env['FUZZ_SCHEMAS'] ?? 15)
/** The same each time, so that a run tells of the code alone; others are asked for by hand. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 39)
const REQUESTS = 8
const READERS = ['ada', 'bob'] as const

type Reader = (typeof READERS)[number]

const t = freshPrefix()
const owned = chosen(600, choices => randomOwnedSchemas(choices, READERS))
const made = fc.sample(owned, { numRuns: SCHEMAS, seed: SEED }).map(({ all, seenBy }, i) => ({
  name: `${t}_${i}`,
  all,
  copies: READERS.map(reader => ({ name: `${t}_${i}_${reader}`, schema: seenBy(reader) })),
}))
const everySchema = made.flatMap(({ name, all, copies }) => [{ name, schema: all }, ...copies])
const names = everySchema.map(({ name }) => name)
const tokens = new Map<Reader, string>()
const answers = { all: 0, differing: 0 }
let issuer: Server
let quoin: TestWorker
let apikey: string

beforeAll(async () => {
  const schemas = everySchema.map(({ schema }) => schema)
  await makeSchemas(schemas, names)
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }]
  issuer = createServer((_, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys })),
  )
  await new Promise<void>(resolve => issuer.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`
  quoin = await startTestWorker({
    vars: { DB_SCHEMAS: names.join(','), OAUTH_PUBLIC_URL: url, OAUTH_ADMIN_URL: url },
  })
  apikey = (await makeKey('anon', { rateLimitPerMinute: 1_000_000 })).key
  for (const reader of READERS) {
    const token = new SignJWT({ client_id: 'app', scp: [] }).setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    tokens.set(reader, await token.setIssuer(url).setSubject(reader).setExpirationTime('1h').sign(privateKey))
  }
})

afterAll(async () => {
  await quoin?.close()
  issuer?.close()
  await dropSchemas(names)
})

/** Everything but the name of the schema. */
async function answer(
  { method, body, table, query, headers, isOrdered }: TreeRequest,
  as: Reader,
  schema: string,
) {
  const profile = method === 'GET' ? 'accept-profile' : 'content-profile'
  const { status, ...rest } = await callDb(
    `${quoin.url}/rest/v1/${table}?${query}`,
    { apikey, authorization: `Bearer ${tokens.get(as)}` },
    { method, body, headers: { ...headers, [profile]: schema } },
  )
  if (status < 300) return comparable({ status, ...rest }, isOrdered)
  const { code, message, details, hint } = JSON.parse(rest.text.replaceAll(schema, 'the_schema'))
  return { status, code, message, details, hint }
}

test(`hidden rows leave no trace in trees of ${SCHEMAS} random schemas (FUZZ_SEED=${SEED})`, async () => {
  for (const [i, { name, all, copies }] of made.entries()) {
    const requests = chosen(250, choices =>
      choices.chance(5) ? randomRefusal(choices, all) : randomRequest(choices, all, { writes: ['PATCH'] }),
    )
    const property = fc.asyncProperty(requests, async asked => {
      const seen = await Promise.all(READERS.map(reader => answer(asked, reader, name)))
      const expected = await Promise.all(
        READERS.map((reader, at) => answer(asked, reader, copies[at]?.name ?? '')),
      )
      expect(seen).toEqual(expected)
      answers.all += 1
      if (JSON.stringify(seen[0]) !== JSON.stringify(seen[1])) answers.differing += 1
    })
    try {
      await fc.assert(property, { numRuns: REQUESTS, seed: SEED + i })
    } catch (failure) {
      throw new Error(`FUZZ_SEED=${SEED}, schema ${i}:\n${all.sql}`, { cause: failure })
    }
  }
  // Answers that are the same for both show little.
  expect(answers.differing / answers.all).toBeGreaterThan(0.4)
})
