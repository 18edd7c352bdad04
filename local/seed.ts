// What a newcomer finds on the first start: two API keys, a table with row-level security and a function to call, and a
// few permissions. These are made once and then belong to the user: who drops them finds them dropped after a restart
// too.

import type { Client } from 'pg'
import { isApiKeyUsable, storeApiKey } from '../cli/support/api-key.ts'
import { StackError } from '../cli/support/output.ts'
import { withOwner } from '../cli/support/owner-connection.ts'
import type { PermissionServer } from './options.ts'
import type { People } from './people.ts'
import { replaceKeys, type Secrets } from './secrets.ts'

/**
 * Stores the keys of the secrets, new ones in place of keys that were revoked or rotated; answers the secrets that
 * hold.
 */
export async function seedApiKeys(databaseUrl: string, dataDir: string, secrets: Secrets): Promise<Secrets> {
  return withOwner(databaseUrl, async client => {
    const anon = await usableKey(client, 'anon', secrets.anon_key)
    const serviceRole = await usableKey(client, 'service_role', secrets.service_role_key)
    return replaceKeys(dataDir, secrets, { anon_key: anon, service_role_key: serviceRole })
  })
}

async function usableKey(client: Client, role: 'anon' | 'service_role', key: string): Promise<string> {
  if (await isApiKeyUsable(client, key)) return key
  const name = `local stack, ${role}`
  const known = await client.query('select 1 from quoin.api_keys where name = $1 limit 1', [name])
  const stored = await storeApiKey(client, known.rowCount === 0 ? { role, name, key } : { role, name })
  return stored.key
}

/** Makes `public.todos` and `public.todo_stats()` the first time; answers whether it did. */
export async function seedDemonstration(databaseUrl: string): Promise<boolean> {
  return withOwner(databaseUrl, async client => {
    const comment = await commentOfSchema(client)
    if (comment.includes(TABLE_SEEDED)) return false
    await client.query('begin')
    await client.query(DEMONSTRATION)
    await setCommentOfSchema(client, `${comment} ${TABLE_SEEDED}`)
    await client.query('commit')
    return true
  })
}

/**
 * Writes the demonstration's permissions the first time; answers whether it did. Does without them where the permission
 * file has other namespaces. Throws a `StackError` when the server refuses them for another reason.
 */
export async function seedPermissions(
  databaseUrl: string,
  { writeUrl, adminToken }: PermissionServer,
  people: People,
): Promise<boolean> {
  return withOwner(databaseUrl, async client => {
    const comment = await commentOfSchema(client)
    if (comment.includes(PERMISSIONS_SEEDED)) return false
    // A stop between the two writes leaves copies of these tuples behind at the next start: no check minds.
    const inserts = demonstrationTuples(people).map(relation_tuple => ({ action: 'insert', relation_tuple }))
    const response = await fetch(`${writeUrl}/admin/relation-tuples`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${adminToken}` },
      body: JSON.stringify(inserts),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    if (response.status === UNKNOWN_NAMESPACE) return false
    if (!response.ok)
      throw new StackError(`the permission server takes no tuples: ${response.status} ${text}`)
    await setCommentOfSchema(client, `${comment} ${PERMISSIONS_SEEDED}`)
    return true
  })
}

/** Where it is written that a part of the demonstration was made: in the comment of schema quoin. */
const TABLE_SEEDED = 'Demonstration table seeded.'
const PERMISSIONS_SEEDED = 'Demonstration permissions seeded.'
const UNKNOWN_NAMESPACE = 404
const TIMEOUT_MS = 10_000

async function commentOfSchema(client: Client): Promise<string> {
  const { rows } = await client.query<{ comment: string | null }>(
    "select obj_description('quoin'::regnamespace, 'pg_namespace') as comment",
  )
  return rows[0]?.comment ?? ''
}

async function setCommentOfSchema(client: Client, comment: string): Promise<void> {
  await client.query(`comment on schema quoin is ${client.escapeLiteral(comment)}`)
}

/** Who administers the organization is a member too; members edit its project, and so see what is below that. */
function demonstrationTuples({ admin, user }: People): object[] {
  const acme = { namespace: 'Organization', object: 'acme' }
  const apollo = { namespace: 'Project', object: 'apollo' }
  const lunarModule = { namespace: 'Project', object: 'lunar-module' }
  const admins = { ...acme, relation: 'admin' }
  const members = { ...acme, relation: 'member' }
  return [
    { ...admins, subject_id: admin.identityId },
    { ...members, subject_set: admins },
    { ...members, subject_id: user.identityId },
    { ...apollo, relation: 'owner', subject_set: admins },
    { ...apollo, relation: 'editor', subject_set: members },
    { ...lunarModule, relation: 'parent', subject_set: { ...apollo, relation: '' } },
  ]
}

// Policies call uid() in a sub-select, so that it is evaluated once a statement and not once a row. A row without an
// owner was written by somebody who was not signed in: everybody sees it if it is public, nobody but service_role
// changes it.
const DEMONSTRATION = `
  create table if not exists public.todos (
    id bigint generated by default as identity primary key,
    title text not null check (title <> '' and length(title) <= 200),
    done boolean not null default false,
    owner_id text default quoin.uid(),
    is_public boolean not null default true,
    created_at timestamptz not null default now()
  );
  comment on table public.todos is
    'Demonstration: everybody sees public rows, signed-in users see and change their own too.';
  alter table public.todos enable row level security;

  create policy todos_read on public.todos for select to anon
    using (is_public or owner_id = (select quoin.uid()));
  create policy todos_insert on public.todos for insert to anon
    with check (owner_id is not distinct from (select quoin.uid()));
  create policy todos_update on public.todos for update to anon
    using (owner_id = (select quoin.uid())) with check (owner_id = (select quoin.uid()));
  create policy todos_delete on public.todos for delete to anon
    using (owner_id = (select quoin.uid()));
  grant select, insert, update, delete on table public.todos to anon;

  create or replace function public.todo_stats() returns table (total bigint, done bigint, open bigint)
    language sql stable security invoker
    begin atomic
      select count(*), count(*) filter (where t.done), count(*) filter (where not t.done) from public.todos t;
    end;
  comment on function public.todo_stats() is 'Demonstration: counts the todos that the caller may see.';
  grant execute on function public.todo_stats() to anon;

  insert into public.todos (title, done, owner_id, is_public) values
    ('Read the three curl lines', true, null, true),
    ('Add a todo of your own', false, null, true),
    ('Ask for the open ones with ?done=is.false', false, null, true),
    ('Only alice sees this one', false, 'alice', false),
    ('Only bob sees this one', false, 'bob', false);
`
