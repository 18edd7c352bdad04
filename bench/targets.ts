// What is measured: the two reads beside PostgREST, and the layers that such a read goes through, one by one.

import type { StackFacts } from '../local/dev-file.ts'
import type { Target } from './load.ts'
import { type Seeded, TABLE } from './seed.ts'

/** A hundred rows of one group, in order: an index gives both. */
const FILTER = 'select=id,name,amount,created_at&group_id=eq.7&order=id&limit=100'

/** Every target of a run, in the order of the table. */
export function benchTargets(
  facts: StackFacts,
  seeded: Seeded,
  workerUrl: string,
  postgrestUrl: string,
): Target[] {
  const byKey = `${TABLE}?id=eq.${seeded.rowId}`
  const filtered = `${TABLE}?${FILTER}`
  const headers = { apikey: seeded.anonKey }
  return [
    { what: 'constant', name: 'Worker', url: `${workerUrl}/healthz`, headers: {} },
    {
      what: 'key check and limit alone',
      name: 'Worker',
      url: `${workerUrl}/v1/modules`,
      headers: { apikey: seeded.serviceKey },
    },
    { what: 'the batch alone', name: 'gateway', ...gatewayBatch(facts, seeded.rowId) },
    { what: 'row by primary key', name: 'Quoin', url: `${workerUrl}/v1/db/${byKey}`, headers },
    { what: 'row by primary key', name: 'PostgREST', url: `${postgrestUrl}/${byKey}`, headers: {} },
    { what: '100 filtered rows', name: 'Quoin', url: `${workerUrl}/v1/db/${filtered}`, headers },
    { what: '100 filtered rows', name: 'PostgREST', url: `${postgrestUrl}/${filtered}`, headers: {} },
  ]
}

/** What the Worker sends for the row by primary key, near enough: settings, then the query. */
function gatewayBatch(facts: StackFacts, rowId: number): Pick<Target, 'url' | 'headers' | 'body'> {
  const settings = [
    ['search_path', 'public'],
    ['role', 'anon'],
    ['request.jwt.claims', '{"role":"anon"}'],
    ['request.method', 'GET'],
    ['request.path', `/v1/db/${TABLE}`],
    ['request.headers', '{"host":"127.0.0.1"}'],
    ['statement_timeout', '10000'],
    ['application_name', 'quoin:bench'],
  ] as const
  const session = {
    query: `select ${settings.map(([name], i) => `pg_catalog.set_config('${name}',$${i + 1},true)`).join(',')}`,
    params: settings.map(([, value]) => value),
  }
  const row = {
    query: `select coalesce(json_agg(t),'[]')::text from (select * from public.${TABLE} where id=$1 limit 1000) t`,
    params: [String(rowId)],
  }
  return {
    url: `${facts.sql_gateway_url}/sql`,
    headers: {
      'content-type': 'application/json',
      'neon-connection-string': facts.data_database_url,
      'neon-raw-text-output': 'true',
      'neon-array-mode': 'true',
      'neon-batch-read-only': 'true',
      'quoin-statements': 'own',
      'quoin-result': 'body',
    },
    body: JSON.stringify({ queries: [session, row] }),
  }
}
