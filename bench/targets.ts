// What is measured: reads and a write beside PostgREST, and the layers that such a read goes through, one by one.

import type { StackFacts } from '../cli/support/dev-file.ts'
import type { Target } from './load.ts'
import { CHILDREN, PARENTS, type Seeded, TABLE, WRITTEN } from './seed.ts'

/** A hundred rows of one group, in order: an index gives both. */
const FILTER = 'select=id,name,amount,created_at&group_id=eq.7&order=id&limit=100'

/** Twenty-five rows with twenty related ones each. */
const TREE = `${PARENTS}?select=id,name,${CHILDREN}(id,name,amount)&id=gte.1000&order=id&limit=25`

const ROW = JSON.stringify({ group_id: 1, name: 'item', amount: 1.25 })

/** A server that is asked the same as Quoin. */
export interface Yardstick {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** The targets of a run in the order of the table, and the read that a thousand keys share. */
export function benchTargets(
  facts: StackFacts,
  seeded: Seeded,
  workerUrl: string,
  yardsticks: readonly Yardstick[],
): { reads: Target[]; manyKeys: Target[] } {
  const byKey = `${TABLE}?id=eq.${seeded.rowId}`
  const filtered = `${TABLE}?${FILTER}`
  const headers = { apikey: seeded.anonKey }
  const db = `${workerUrl}/v1/db`
  const writes = { 'content-type': 'application/json', prefer: 'return=minimal' }
  const [row, rows, insert] = ['row by primary key', '100 filtered rows', 'insert of a row']
  const tree = '25 rows with 20 related each'
  const all = [{ name: 'Quoin', url: db, headers }, ...yardsticks]
  const beside = (what: string, path: string, more: Partial<Target> = {}): Target[] =>
    all.map(({ name, url, headers }) => ({
      ...{ what, name, url: `${url}/${path}`, ...more },
      headers: { ...headers, ...more.headers },
    }))
  return {
    reads: [
      { what: 'constant', name: 'Worker', url: `${workerUrl}/healthz`, headers: {} },
      {
        what: 'key check and limit alone',
        name: 'Worker',
        url: `${workerUrl}/v1/modules`,
        headers: { apikey: seeded.serviceKey },
      },
      { what: 'the batch alone', name: 'gateway', ...gatewayBatch(facts, seeded.rowId) },
      ...beside(row, byKey),
      ...beside(rows, filtered),
      ...beside(tree, TREE),
      ...beside(insert, WRITTEN, { headers: writes, body: ROW }),
    ],
    manyKeys: [
      {
        what: `${row}, ${seeded.manyKeys.length} keys`,
        name: 'Quoin',
        url: `${db}/${byKey}`,
        headers,
        keys: seeded.manyKeys,
      },
    ],
  }
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
