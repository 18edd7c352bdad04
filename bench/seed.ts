// The table that the benchmarks read, and an anon key whose limit they cannot reach.

import pg from 'pg'
import { generateKey, hashKey } from '../src/features/keys/key-format.ts'
import type { StackFacts } from './stack.ts'

export const TABLE = 'bench_items'

const ROWS = 100_000
/** High enough that no run comes near it: what is measured is the check, not the refusal. */
const RATE_LIMIT_PER_MINUTE = 100_000_000

/** Fills the table once and makes a key; both vanish with the stack's folder. */
export async function seedBenchTable({
  database_url,
}: StackFacts): Promise<{ apiKey: string; rowId: number }> {
  const client = new pg.Client({ connectionString: database_url })
  await client.connect()
  try {
    await client.query(`
      create table public.${TABLE} (id bigint primary key, group_id int not null, name text not null,
        amount numeric(12,2) not null, created_at timestamptz not null);
      insert into public.${TABLE} select i, i % 1000, 'item ' || i, i * 1.25, '2026-01-01'::timestamptz + i * interval '1 s'
        from generate_series(1, ${ROWS}) i;
      create index on public.${TABLE} (group_id, id);
      alter table public.${TABLE} enable row level security;
      create policy everybody on public.${TABLE} for select to anon using (true);
      grant select on public.${TABLE} to anon;
      analyze public.${TABLE}`)
    return { apiKey: await insertKey(client), rowId: ROWS / 2 }
  } finally {
    await client.end()
  }
}

async function insertKey(client: pg.Client): Promise<string> {
  const apiKey = generateKey('anon')
  await client.query(
    `insert into quoin.api_keys (project_id, name, role, prefix, last_four, key_hash, rate_limit_per_minute)
     select id, 'bench', 'anon', 'svc_pk_', $1, $2, $3 from quoin.projects order by created_at limit 1`,
    [apiKey.slice(-4), await hashKey(apiKey), RATE_LIMIT_PER_MINUTE],
  )
  return apiKey
}
