// What a flush deletes from Hydra's own tables, as its migrations make them; the local server's are views of the same
// names. In a database of the test's own.

import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { flushEndedTokens } from '../../../src/features/oauth/tokens/flush-tokens.ts'

const { database_url } = inject('stack')
const name = `flush_${randomUUID().replaceAll('-', '')}`
const urlOfOwn = new URL(database_url)
urlOfOwn.pathname = `/${name}`

const owner = new Client({ connectionString: database_url })
const hydra = new Client({ connectionString: urlOfOwn.href })

beforeAll(async () => {
  await owner.connect()
  await owner.query(`create database ${name}`)
  await hydra.connect()
  await hydra.query('create schema server')
  for (const table of ['access', 'refresh']) {
    await hydra.query(`create table server.hydra_oauth2_${table} (
      signature varchar(255) primary key, request_id varchar(40) not null,
      requested_at timestamp not null default now(),
      client_id varchar(255) not null default 'c', subject varchar(255) not null default '',
      active boolean not null default true, expires_at timestamp)`)
  }
})

afterAll(async () => {
  await hydra.end()
  await owner.query(`drop database if exists ${name}`)
  await owner.end()
})

type Token = [signature: string, grant: string, isActive: boolean, expiresInSeconds: number | null]

async function insert(table: string, tokens: Token[]): Promise<void> {
  for (const [signature, grant, isActive, seconds] of tokens) {
    await hydra.query(
      `insert into server.hydra_oauth2_${table} (signature, request_id, active, expires_at)
       values ($1, $2, $3, (now() at time zone 'UTC') + make_interval(secs => $4))`,
      [signature, grant, isActive, seconds],
    )
  }
}

async function left(table: string): Promise<string[]> {
  const { rows } = await hydra.query(`select signature from server.hydra_oauth2_${table} order by signature`)
  return rows.map(row => row.signature)
}

/** As `PlatformDatabase` does it: an empty search path, UTC, the statement's rows as JSON. */
async function query<Row>(sql: string, params: readonly (string | null)[] = []): Promise<Row[]> {
  await hydra.query('begin')
  await hydra.query("set local search_path = pg_catalog, pg_temp; set local timezone = 'UTC'")
  const wrapped = `with q as (${sql}) select coalesce(json_agg(q), '[]'::json) as rows from q`
  const { rows } = await hydra.query(wrapped, [...params])
  await hydra.query('commit')
  return rows[0].rows
}

it('deletes expired and inactive tokens, in whatever schema, and nothing that is still of use', async () => {
  await insert('access', [
    ['alive', 'g1', true, 3_600],
    ['expired', 'g1', true, -1],
    ['endless', 'g1', true, null],
    ['inactive', 'g2', false, 3_600],
  ])
  await insert('refresh', [
    ['current', 'g1', true, 3_600],
    ['rotated out', 'g1', false, 3_600],
    ['rotated out and expired', 'g1', false, -1],
    ['revoked', 'g2', false, 3_600],
    ['last of its grant', 'g3', true, -1],
    ['rotated out of that', 'g3', false, 3_600],
  ])
  // More than one batch.
  await hydra.query(`insert into server.hydra_oauth2_access (signature, request_id, active)
    select 'bulk ' || i, 'g4', false from generate_series(1, 4500) i`)
  const deps = {
    platform: { query: async <Row>() => [{ id: 'a' }] as Row[] },
    oauthDatabase: { query },
    upstreams: { oauthAdmin: { name: 'oauth_server', baseUrl: undefined, variable: '', fetch } as const },
    now: () => new Date(),
  }
  const caller = {
    actor: { kind: 'anonymous', id: null, name: null },
    action: 'things.change',
    requestId: '',
    address: null,
  } as const
  expect(await flushEndedTokens(deps, caller)).toEqual({
    source: 'database',
    access_tokens: 4_502,
    refresh_tokens: 4,
    complete: true,
  })
  expect(await left('access')).toEqual(['alive', 'endless'])
  expect(await left('refresh')).toEqual(['current', 'rotated out'])
})
