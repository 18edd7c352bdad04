/**
 * Postgres' errors repeat what a caller sent, and say what a function raises, however long. The Worker looks for hints
 * in these words: a pattern took minutes for a megabyte of them.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { asOwner, freshPrefix, makeDbCaller } from '../contract/data-api/caller.ts'

const PREFIX = freshPrefix()
const TABLE = `${PREFIX}_tags`
const SHOUT = `${PREFIX}_shout`

beforeAll(() =>
  asOwner(`
    create table public.${TABLE} (tags text[], span int4range);
    grant insert, select on public.${TABLE} to anon;
    create function public.${SHOUT}(code text, words text) returns int language plpgsql as $$ begin
      raise exception using errcode = code, message = words, detail = words, hint = words; end $$;
    grant execute on function public.${SHOUT} to anon, service_role`),
)
afterAll(() => asOwner(`drop table if exists public.${TABLE}; drop function if exists public.${SHOUT}`))

/** Half of a megabyte of the words that our patterns look for. */
const LONG = 'permission denied for column "for" of relation does not exist '.repeat(8_000)

it.each(['tags', 'span'])('cuts what Postgres repeats of a value (%s)', async column => {
  const call = await makeDbCaller('anon')
  const { status, text } = await call(TABLE, { method: 'POST', body: { [column]: LONG } })
  expect(status).toBe(400)
  expect(text.length).toBeLessThan(20_000)
  expect((await call(`${TABLE}?limit=1`)).status).toBe(200)
})

it.each(['42501', '42703', '42P01', '22P02', '08P01', 'P0001'])(
  'cuts what a function raises (%s)',
  async code => {
    const call = await makeDbCaller('anon')
    const { status, text } = await call(`rpc/${SHOUT}`, { method: 'POST', body: { code, words: LONG } })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(text.length).toBeLessThan(20_000)
    expect((await call(`${TABLE}?limit=1`)).status).toBe(200)
  },
)
