// Triggers that applications have on storage.objects, as Supabase's users write them: quotas, scanners, counters.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { makeKey } from '../../support/keys.ts'
import { connectOwner } from '../../support/postgres.ts'

const { base_url: baseUrl } = inject('stack')
const bucket = `triggers-${randomUUID()}`
let headers: Record<string, string>
let owner: Awaited<ReturnType<typeof connectOwner>>

beforeAll(async () => {
  headers = { apikey: (await makeKey('service_role')).key, 'content-type': 'text/plain' }
  owner = await connectOwner()
  await owner.query('insert into storage.buckets (id, name) values ($1, $1)', [bucket])
})
afterAll(async () => {
  await owner?.end()
})

/** Runs `test` with a trigger for names that begin with its own; names sort it before all of Quoin's, or behind. */
async function withTrigger(
  when: { name: string; event: string; body: string },
  test: (file: string) => Promise<void>,
) {
  const id = `${when.name}-${randomUUID()}`
  await owner.query(`
    create function public."${id}"() returns trigger language plpgsql as $$ begin ${when.body} return new; end $$;
    create trigger "${id}" ${when.event} on storage.objects
      for each row when (new.name like '${id}%') execute function public."${id}"()`)
  try {
    await test(`${id}/file.txt`)
  } finally {
    await owner.query(`drop trigger "${id}" on storage.objects; drop function public."${id}"()`)
  }
}

async function send(method: 'POST' | 'PUT', name: string, body: string, more: Record<string, string> = {}) {
  const url = `${baseUrl}/v1/storage/objects/${bucket}/${encodeURI(name)}`
  const answer = await fetch(url, { method, headers: { ...headers, ...more }, body })
  return { status: answer.status, body: (await answer.json()) as { code?: string; error?: string } }
}

async function rowOf(name: string) {
  const { rows } = await owner.query('select version, metadata from storage.objects where name = $1', [name])
  return rows[0]
}

it('see the measured size before a row is written, whatever they are called', async () => {
  const quota = `if (new.metadata ->> 'size')::int > 3 then raise 'quota'; end if;`
  await withTrigger({ name: 'a', event: 'before insert or update', body: quota }, async file => {
    expect(await send('POST', file, 'abcd')).toMatchObject({ status: 400, body: { error: 'quota' } })
    expect(await send('POST', file, 'abc')).toMatchObject({ status: 201 })
    expect(await send('PUT', file, 'abcd')).toMatchObject({ status: 400, body: { error: 'quota' } })
  })
})

it('hear of a replacement where they wait for a change of metadata', async () => {
  const tell = `raise 'now %', new.metadata ->> 'size';`
  await withTrigger({ name: 'a', event: 'after update of metadata', body: tell }, async file => {
    expect(await send('POST', file, 'abc')).toMatchObject({ status: 201 })
    expect(await send('PUT', file, 'abcd')).toMatchObject({ status: 400, body: { error: 'now 4' } })
  })
})

it('may change what is told of a file', async () => {
  const cache = `new.metadata := new.metadata || '{"cacheControl":"max-age=5"}';`
  await withTrigger({ name: 'z', event: 'before insert', body: cache }, async file => {
    expect(await send('POST', file, 'abc')).toMatchObject({ status: 201 })
    expect(await rowOf(file)).toMatchObject({ metadata: { cacheControl: 'max-age=5' } })
  })
})

it('leave no file behind that no row names, when they take the version away', async () => {
  await withTrigger({ name: 'z', event: 'before insert', body: 'new.version := null;' }, async file => {
    expect(await send('POST', file, 'abc')).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect(await rowOf(file)).toBeUndefined()
  })
})

it('aside: metadata that Postgres would write out at great length are refused', async () => {
  const metadata = Buffer.from(`{"a":[${Array(1_360).fill('1e308').join()}]}`).toString('base64')
  const refused = await send('POST', 'long.txt', 'abc', { 'x-metadata': metadata })
  expect(refused).toMatchObject({ status: 400, body: { error: 'The metadata of the file are too large.' } })
  expect(await rowOf('long.txt')).toBeUndefined()
})
