// The table that the benchmarks read, and keys whose limit they cannot reach.

import pg from 'pg'
import { storeApiKey } from '../cli/support/api-key.ts'
import type { StackFacts } from '../cli/support/dev-file.ts'

export const TABLE = 'bench_items'
/** What rows with related rows are read from, and these. */
export const PARENTS = 'bench_parents'
export const CHILDREN = 'bench_children'
/** What rows are written to. */
export const WRITTEN = 'bench_written'

const ROWS = 100_000
const CHILDREN_EACH = 20
/** High enough that no run comes near it: what is measured is the check, not the refusal. */
const RATE_LIMIT_PER_MINUTE = 100_000_000

const MANY_KEYS = 1_000

export interface Seeded {
  anonKey: string
  /** More anon keys, so that one hot key is not the whole truth. */
  manyKeys: string[]
  serviceKey: string
  rowId: number
}

/** Fills the table once and makes the keys; all of it vanishes with the stack's folder. */
export async function seedBenchTable({ database_url }: StackFacts): Promise<Seeded> {
  const client = new pg.Client({ connectionString: database_url })
  await client.connect()
  try {
    await client.query(`
      create table public.${TABLE} (id bigint primary key, group_id int not null, name text not null,
        amount numeric(12,2) not null, created_at timestamptz not null);
      insert into public.${TABLE}
        select i, i % 1000, 'item ' || i, i * 1.25, '2026-01-01'::timestamptz + i * interval '1 s'
        from generate_series(1, ${ROWS}) i;
      create index on public.${TABLE} (group_id, id);
      alter table public.${TABLE} enable row level security;
      create policy everybody on public.${TABLE} for select to anon using (true);
      grant select on public.${TABLE} to anon;
      create table public.${WRITTEN} (id bigint generated always as identity primary key, group_id int not null,
        name text not null, amount numeric(12,2) not null);
      alter table public.${WRITTEN} enable row level security;
      create policy everybody on public.${WRITTEN} for insert to anon with check (true);
      grant insert on public.${WRITTEN} to anon;
      create table public.${PARENTS} (id bigint primary key, name text not null);
      create table public.${CHILDREN} (id bigint primary key, parent_id bigint not null references public.${PARENTS},
        name text not null, amount numeric(12,2) not null);
      insert into public.${PARENTS} select i, 'parent ' || i from generate_series(1, ${ROWS / CHILDREN_EACH}) i;
      insert into public.${CHILDREN} select i, 1 + (i - 1) / ${CHILDREN_EACH}, 'child ' || i, i * 1.25
        from generate_series(1, ${ROWS}) i;
      create index on public.${CHILDREN} (parent_id);
      alter table public.${PARENTS} enable row level security;
      alter table public.${CHILDREN} enable row level security;
      create policy everybody on public.${PARENTS} for select to anon using (true);
      create policy everybody on public.${CHILDREN} for select to anon using (true);
      grant select on public.${PARENTS}, public.${CHILDREN} to anon;
      analyze public.${TABLE}; analyze public.${PARENTS}; analyze public.${CHILDREN}`)
    const key = { name: 'bench', rateLimitPerMinute: RATE_LIMIT_PER_MINUTE }
    const anon = await storeApiKey(client, { ...key, role: 'anon' })
    const service = await storeApiKey(client, { ...key, role: 'service_role' })
    const manyKeys: string[] = []
    for (let i = 0; i < MANY_KEYS; i++)
      manyKeys.push((await storeApiKey(client, { ...key, role: 'anon' })).key)
    return { anonKey: anon.key, manyKeys, serviceKey: service.key, rowId: ROWS / 2 }
  } finally {
    await client.end()
  }
}
