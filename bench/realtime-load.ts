// What is written while sockets listen, and what is measured of it.

import { importJWK, type JWK, SignJWT } from 'jose'
import { storeApiKey } from '../cli/support/api-key.ts'
import type { StackFacts } from '../cli/support/dev-file.ts'
import { waitUntil } from '../cli/support/wait.ts'
import type { BenchSocket } from './realtime-sockets.ts'
import { connect, writeSteadily } from './steady-writer.ts'

const ARRIVAL_DEADLINE_MS = 60_000
/** A join costs a request: high enough that none is refused. */
const RATE_LIMIT_PER_MINUTE = 100_000_000

export interface Spread {
  /** Milliseconds from the answer of a commit to the receipt of its row at a socket, over all sockets. */
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** Receipts. */
  readonly count: number
}

/** Single-row inserts at a steady rate; waits until every socket has every row. */
export async function measureSpread(
  facts: StackFacts,
  table: string,
  sockets: readonly BenchSocket[],
  rate: { changesPerSecond: number; seconds: number },
): Promise<Spread> {
  const text = `insert into public.${table} (owner, body) values ('somebody', 'a row of a benchmark') returning id`
  const commits = await writeSteadily(facts.database_url, text, rate)
  return await spreadOf(commits, sockets)
}

/** Waits until every socket has every row; throws where one does not come within a minute. */
async function spreadOf(
  commits: ReadonlyMap<number, number>,
  sockets: readonly BenchSocket[],
): Promise<Spread> {
  const ids = [...commits.keys()]
  await waitUntil({ what: 'every socket has every row', deadlineMs: ARRIVAL_DEADLINE_MS }, async () =>
    sockets.every(({ arrivals }) => ids.every(id => arrivals.has(id))) ? true : undefined,
  )
  const times = sockets.flatMap(({ arrivals }) =>
    [...commits].map(([id, atMs]) => (arrivals.get(id) ?? Number.NaN) - atMs),
  )
  const sorted = times.sort((a, b) => a - b)
  const at = (part: number) => {
    const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
    return Math.round(value * 10) / 10
  }
  return { p50: at(0.5), p99: at(0.99), max: at(1), count: sorted.length }
}

/** A table whose rows all may see, though each class is asked. */
export async function makeTable(facts: StackFacts, table: string, policy: string): Promise<void> {
  const client = await connect(facts.database_url)
  await client.query(`create table public.${table} (id bigint generated always as identity primary key,
      owner text not null, body text not null, created_at timestamptz not null default now());
    alter table public.${table} enable row level security;
    create policy read on public.${table} for select to anon using (${policy});
    grant select on public.${table} to anon`)
  await client.end()
}

/** Statements that policies were asked with until now, and changes that came, as the Worker counts them. */
export async function sightCounts(facts: StackFacts): Promise<{ statements: number; changes: number }> {
  const headers = { apikey: facts.service_role_key }
  const { counts } = await json<{ counts: { statements: number; changes: number } }>(
    `${facts.base_url}/v1/realtime`,
    { headers },
  )
  return counts
}

/** An anon key whose limit no run reaches. */
export async function makeKey(facts: StackFacts): Promise<string> {
  const client = await connect(facts.database_url)
  const key = { name: 'bench', role: 'anon', rateLimitPerMinute: RATE_LIMIT_PER_MINUTE } as const
  const { key: text } = await storeApiKey(client, key)
  await client.end()
  return text
}

/** Access tokens of so many people, signed with the key of the stack's own OAuth2 server. */
export async function makeTokens(facts: StackFacts, count: number): Promise<string[]> {
  const clientId = await firstToken(facts)
  const { keys } = await json<{ keys: JWK[] }>(`${facts.oauth_admin_url}/admin/keys/hydra.jwt.access-token`)
  const { kid = '', alg = 'RS256', ...rest } = keys[0] ?? {}
  const key = await importJWK({ ...rest, kid }, alg)
  const sign = (index: number) =>
    new SignJWT({ client_id: clientId, scp: ['openid'] })
      .setProtectedHeader({ alg, kid, typ: 'JWT' })
      .setIssuer(facts.oauth_public_url ?? '')
      .setSubject(`person-${index}`)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(key)
  return await Promise.all(Array.from({ length: count }, (_, index) => sign(index)))
}

/** The server makes its key for the first token. Answers the client's id. */
async function firstToken(facts: StackFacts): Promise<string> {
  const made = await json<{ client_id: string; client_secret: string }>(
    `${facts.oauth_admin_url}/admin/clients`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        grant_types: ['client_credentials'],
        access_token_strategy: 'jwt',
        token_endpoint_auth_method: 'client_secret_post',
      }),
    },
  )
  await json(`${facts.oauth_public_url}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: made.client_id,
      client_secret: made.client_secret,
    }),
  })
  return made.client_id
}

async function json<Body>(url: string, init?: RequestInit): Promise<Body> {
  const response = await fetch(url, init)
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Body
}
