// What each kind of write leaves in the outbox: the images, the order (outbox-keys.test.ts: the keys). Directly in
// Postgres, as users write.

import { type Client, Query } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listChanges } from '../../../src/features/row-changes/consume/outbox.ts'
import { type OutboxDatabase, openOutboxDatabase } from './database.ts'

let db: OutboxDatabase

beforeAll(async () => {
  db = await openOutboxDatabase()
})

afterAll(async () => {
  await db.end()
})

/** Sends the rows behind a COPY ... FROM STDIN, which `pg` alone does not offer. */
function copyFrom(client: Client, sql: string, rows: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const copy = new Query(sql, err => (err ? reject(err) : resolve()))
    Object.assign(copy, {
      handleCopyInResponse(connection: CopyConnection) {
        connection.sendCopyFromChunk(Buffer.from(rows))
        connection.endCopyFrom()
      },
    })
    client.query(copy)
  })
}

interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

const parse = (text: string | null) => (text === null ? null : JSON.parse(text))

describe('a statement', () => {
  it('writes its change with key, new and old image, as texts that lose no digit', async () => {
    const table = await db.watched('id bigint primary key, amount numeric, note text')
    await db.owner.query(`insert into ${table} values (9007199254740993, 1.10, 'a"b')`)
    await db.owner.query(`update ${table} set amount = 2.00`)
    await db.owner.query(`delete from ${table}`)
    const key = '["9007199254740993"]'
    const [first, second] = ['1.10', '2.00'].map(
      amount => `{"id":9007199254740993,"amount":${amount},"note":"a\\"b"}`,
    )
    expect(await db.changes(table)).toEqual([
      { event: 'INSERT', key, old_key: null, row: first, old_row: null, error: null },
      { event: 'UPDATE', key, old_key: null, row: second, old_row: first, error: null },
      { event: 'DELETE', key, old_key: null, row: second, old_row: second, error: null },
    ])
  })

  it('of a deleted row counts its image twice: a body has it as both', async () => {
    const table = await db.watched('id int primary key')
    await db.owner.query(`insert into ${table} values (1)`)
    await db.owner.query(`delete from ${table}`)
    const chunks = await db.chunks(table)
    const facts = await Promise.all(chunks.map(({ id }) => listChanges(db.platform, String(id))))
    expect(facts.flat().map(({ bytes }) => bytes)).toEqual([8, 16])
  })

  it('that changes no row writes nothing', async () => {
    const table = await db.watched('id int primary key')
    await db.owner.query(`insert into ${table} select 1 where false`)
    await db.owner.query(`update ${table} set id = 2`)
    await db.owner.query(`delete from ${table}`)
    expect(await db.chunks(table)).toEqual([])
  })

  it('of 2 500 rows writes chunks of at most 1 000 changes, in order, with both images beside each other', async () => {
    const table = await db.watched('id int primary key, n int')
    await db.owner.query(`insert into ${table} select i, 0 from generate_series(1, 2500) i`)
    await db.owner.query(`update ${table} set n = id`)
    const chunks = await db.chunks(table)
    expect(chunks.map(chunk => chunk.change_count)).toEqual([1000, 1000, 500, 1000, 1000, 500])
    const [inserted, updated] = ['INSERT', 'UPDATE'].map(event =>
      chunks.filter(chunk => chunk.event === event).flatMap(chunk => chunk.changes),
    )
    expect(inserted?.map(change => parse(change.row).id)).toEqual(
      Array.from({ length: 2500 }, (_, i) => i + 1),
    )
    for (const { key, row, old_row } of updated ?? []) {
      const { id } = parse(row)
      expect([key, parse(row), parse(old_row)]).toEqual([`["${id}"]`, { id, n: id }, { id, n: 0 }])
    }
  })

  it('of large rows makes chunks that stay near a million bytes', async () => {
    const table = await db.watched('id int primary key, data text storage external')
    await db.owner.query(`insert into ${table} select i, repeat('x', 300000) from generate_series(1, 7) i`)
    expect((await db.chunks(table)).map(chunk => chunk.change_count)).toEqual([3, 3, 1])
  })

  describe('over rows that Postgres keeps compressed', () => {
    const KEPT = "insert into {table} (id, data) select i, repeat('x', 500000) from generate_series(1, 20) i"

    it('makes chunks of what they are as JSON, in order', async () => {
      const table = await db.watched('id int primary key, data text')
      await db.owner.query(KEPT.replace('{table}', table))
      await db.owner.query(`update ${table} set id = id + 100`)
      const chunks = (await db.chunks(table)).filter(({ event }) => event === 'UPDATE')
      expect(chunks.map(chunk => chunk.change_count)).toEqual(Array.from({ length: 20 }, () => 1))
      const changes = chunks.flatMap(chunk => chunk.changes)
      expect(changes.map(({ old_key, key }) => [old_key, key])).toEqual(
        Array.from({ length: 20 }, (_, i) => [`["${i + 1}"]`, `["${i + 101}"]`]),
      )
      for (const { old_key, key, row, old_row } of changes)
        expect([old_key, key]).toEqual([`["${parse(old_row).id}"]`, `["${parse(row).id}"]`])
    })

    it('leaves out the one that cannot be made JSON alone', async () => {
      const table = await db.watched('id int primary key, data text')
      await db.owner.query(`
        create type ${table}_mood as enum ('fine', 'never');
        create function ${table}_json(m ${table}_mood) returns json language plpgsql as
          $$ begin if m = 'never' then raise exception 'never'; end if; return '1'; end $$;
        create cast (${table}_mood as json) with function ${table}_json(${table}_mood);
        alter table ${table} add mood ${table}_mood not null default 'fine'`)
      await db.owner.query(
        KEPT.replace('(id, data)', '(id, data, mood)')
          .replace('{table}', table)
          .replace('500000)', `500000), case i when 9 then 'never' else 'fine' end::${table}_mood`),
      )
      await db.owner.query(`delete from ${table}`)
      const chunks = (await db.chunks(table)).filter(({ event }) => event === 'DELETE')
      expect(chunks.map(chunk => chunk.change_count)).toEqual(Array.from({ length: 20 }, () => 1))
      const changes = chunks.flatMap(chunk => chunk.changes)
      expect(changes.map(({ key, row, error }) => [key, parse(row)?.id, error])).toEqual(
        Array.from({ length: 20 }, (_, i) => i + 1).map(id =>
          id === 9 ? ['["9"]', undefined, 'never'] : [`["${id}"]`, id, null],
        ),
      )
    })
  })

  it('of rows with JSON nested as deep as Postgres takes it can be read again, alone and beside others', async () => {
    const table = await db.watched('id int primary key, data json')
    let depth = 40_000
    for (let step = 20_000; step >= 1; step = Math.floor(step / 2)) {
      const fits = await db.owner
        .query(`insert into ${table} values (1, (repeat('[', ${depth}) || repeat(']', ${depth}))::json)`)
        .then(
          () => true,
          () => false,
        )
      if (fits)
        await db.owner.query(
          `insert into ${table} select 2, data from ${table} union all select 3, data from ${table}`,
        )
      if (fits) await db.owner.query(`truncate ${table}`)
      depth += fits ? step : -step
    }
    const rows = (await db.changes(table)).map(({ row }) => row)
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) expect(row).toMatch(/^\{"id":[123],"data":\[+\]+\}$/)
  })

  const tables = {
    'id int primary key, at timestamptz, day date, tags text[]':
      "values (1, '2026-01-02 03:04:05+00', '2026-01-02', '{a}')",
    'at timestamptz primary key, span interval, data bytea':
      "values ('2026-01-02 03:04:05+00', '1 day 2 hours', '\\x01')",
    'day date primary key': "values ('2026-01-02')",
    'id int primary key, during tstzrange': "values (1, '[2026-01-02, 2026-01-03)')",
    'id int primary key, size float8': 'values (1, 0.1 + 0.2::float8)',
    'id int primary key, spans interval[]': "values (1, '{1 day 2 hours}')",
  }
  for (const [columns, values] of Object.entries(tables)) {
    it(`makes the same key and image whatever the settings of its session, of (${columns})`, async () => {
      const table = await db.watched(columns)
      await db.owner.query(`insert into ${table} ${values}`)
      const other = await db.connect('owner')
      await other.query(`set timezone = 'Asia/Tokyo'; set datestyle = 'SQL, DMY'; set intervalstyle = 'iso_8601';
        set bytea_output = 'escape'; set extra_float_digits = 0`)
      await other.query(`delete from ${table}`)
      const [inserted, deleted] = await db.changes(table)
      expect([deleted?.key, deleted?.row]).toEqual([inserted?.key, inserted?.row])
    })
  }

  it('and of a table whose columns have changed, once it was looked at again', async () => {
    const table = await db.watched('id int primary key')
    await db.owner.query(`alter table ${table} add data bytea default '\\x01'`)
    await db.watch(table)
    const other = await db.connect('owner')
    await other.query(`set bytea_output = 'escape'`)
    await other.query(`insert into ${table} values (1)`)
    expect((await db.changes(table)).map(({ row }) => row)).toEqual(['{"id":1,"data":"\\\\x01"}'])
  })
})

describe('the session of the writer', () => {
  it.each([
    ['UTC', 'id int primary key, data text', "'a'"],
    ['Asia/Kolkata', 'id int primary key, data text', "'a'"],
    ['<+05:30>-05:30', 'id int primary key, span interval', "'1 day'"],
  ])(
    'leaves the settings of a session in %s as they were, for a table of (%s)',
    async (timezone, columns, value) => {
      const table = await db.watched(columns)
      const writer = await db.connect('owner')
      await writer.query(`set search_path = '$user', public; set datestyle = 'German, DMY'; set work_mem = '1MB';
      set bytea_output = 'escape'; set extra_float_digits = 0; set timezone = '${timezone}'`)
      await writer.query("begin; set local intervalstyle = 'iso_8601'")
      const names =
        'search_path timezone datestyle work_mem bytea_output extra_float_digits intervalstyle ' +
        'transaction_read_only'
      const settings = async () => {
        const { rows } = await writer.query(
          `select name, current_setting(name) as value from regexp_split_to_table('${names}', ' ') as name`,
        )
        return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
      }
      const before = await settings()
      await writer.query(`savepoint s; insert into ${table} values (1, ${value}); rollback to s`)
      expect(await settings()).toEqual(before)
      await writer.query(`insert into ${table} values (1, ${value})`)
      await writer.query(`insert into ${table} values (2, ${value}), (3, ${value})`)
      expect(await settings()).toEqual(before)
      await writer.query('commit')
      expect(await settings()).toEqual({ ...before, intervalstyle: 'postgres' })
      expect((await db.changes(table)).map(({ key, error }) => [key, error])).toEqual([
        ['["1"]', null],
        ['["2"]', null],
        ['["3"]', null],
      ])
    },
  )

  // What drivers ask for the id of a new row (PDO::lastInsertId, Doctrine): a number that a trigger drew would be the
  // answer.
  it.each([
    ['recorded by statement', 'id int generated always as identity primary key, n int', 'read committed'],
    [
      'recorded in a transaction with one snapshot',
      'id int generated always as identity primary key, n int',
      'repeatable read',
    ],
    [
      'recorded for each row',
      'id int generated always as identity primary key, n int) partition by hash (id',
      'read committed',
    ],
  ])('keeps its lastval() where rows are %s', async (_how, columns, isolation) => {
    const table = await db.watched(columns)
    if (columns.includes('partition'))
      await db.owner.query(
        `create table ${table}_0 partition of ${table} for values with (modulus 1, remainder 0)`,
      )
    await db.owner.query(`grant all on ${table} to service_role`)
    const writer = await db.connect('service_role')
    await writer.query(`set default_transaction_isolation = '${isolation}'`)
    const { rows } = await writer.query(`insert into ${table} (n) values (1), (2) returning id`)
    await writer.query(`update ${table} set n = 3`)
    await writer.query(`delete from ${table} where n = 3`)
    expect((await writer.query('select lastval()::int as last')).rows).toEqual([{ last: rows[1].id }])
    expect((await db.changes(table)).map(({ event }) => event)).toEqual(
      ['INSERT', 'UPDATE', 'DELETE'].flatMap(event => [event, event]),
    )
  })
})

describe('a virtual generated column, of which Postgres gives triggers no value', () => {
  it('is left out of both images, and the rest is as it was', async () => {
    const table = await db.watched(`
      id bigint primary key, "a""'b" int generated always as (n * 2) virtual, gone int, n int, j json,
      stored int generated always as (n * 3) stored, last text generated always as ('x') virtual`)
    await db.owner.query(`alter table ${table} drop column gone, add column added int default 4`)
    const big = '9007199254740993'
    const json = '{"n": 1.0,  "n": [null, "\\u0000"]}'
    await db.owner.query(`insert into ${table} (id, n, j) values (${big}, 1, $1), (2, null, null)`, [json])
    await db.owner.query(`update ${table} set n = 2 where id = ${big}`)
    await db.owner.query(`delete from ${table} where n = 2`)
    const one = `{"id":${big},"n":1,"j":${json},"stored":3,"added":4}`
    const two = `{"id":${big},"n":2,"j":${json},"stored":6,"added":4}`
    expect(
      (await db.changes(table)).map(({ event, key, row, old_row }) => [event, key, row, old_row]),
    ).toEqual([
      ['INSERT', `["${big}"]`, one, null],
      ['INSERT', '["2"]', '{"id":2,"n":null,"j":null,"stored":null,"added":4}', null],
      ['UPDATE', `["${big}"]`, two, one],
      ['DELETE', `["${big}"]`, two, two],
    ])
  })

  it('is left out of a table without a key and of a partition, and once a watched table gets one', async () => {
    const table = await db.watched('n int, v int generated always as (n * 2) virtual')
    await db.owner.query(`insert into ${table} values (1)`)
    const parted = await db.watched('n int, v int generated always as (n * 2) virtual) partition by list (n')
    await db.owner.query(`create table ${parted}_1 partition of ${parted} for values in (1)`)
    await db.owner.query(`insert into ${parted} values (1)`)
    const grown = await db.watched('n int')
    await db.owner.query(`alter table ${grown} add v int generated always as (n * 2) virtual`)
    await db.watch(grown)
    await db.owner.query(`insert into ${grown} values (1)`)
    for (const one of [table, parted, grown]) {
      expect((await db.changes(one)).map(({ row }) => row)).toEqual(['{"n":1}'])
    }
  })
})

describe('a table that our own names would clash with', () => {
  const names =
    'batch batches first size images old_images keys old_keys is_slow keys_alone old_keys_alone done failure watched ' +
    'key_columns images_sql a attname changed former one bytes made up_to_here image name rows old_rows event tg_op ' +
    'r n k x'
  it('is recorded like any other, row by row and many at once', async () => {
    const columns = names.split(' ').map(name => `${name} text default '${name}'`)
    const table = await db.watched(`id int primary key, ${columns.join(', ')}`)
    await db.owner.query(`insert into ${table} (id) values (1)`)
    await db.owner.query(`insert into ${table} (id) values (2), (3)`)
    await db.owner.query(`update ${table} set failure = null`)
    const changes = await db.changes(table)
    expect(changes.map(change => [change.event, change.key, change.error])).toEqual(
      ['INSERT', 'INSERT', 'INSERT', 'UPDATE', 'UPDATE', 'UPDATE'].map((event, i) => [
        event,
        `["${(i % 3) + 1}"]`,
        null,
      ]),
    )
    expect(JSON.parse(changes[1]?.row ?? '{}')).toMatchObject({ id: 2, one: 'one', batch: 'batch' })
  })
})

describe('a row that cannot be an image', () => {
  it('that makes a row too large for an image costs the write nothing but the image', async () => {
    const table = await db.watched('id int primary key, data varbit')
    await db.owner.query(`insert into ${table} values (1, '')`)
    // As text, a character a bit, it is longer than any value may be.
    const bits = Array.from({ length: 14 }, () => 'part').join(' || ')
    await db.owner.query(
      `update ${table} set data = (select ${bits} from (select b'0'::bit(80000000) as part offset 0) parts)`,
    )
    const [, change] = await db.changes(table)
    expect(change).toMatchObject({ key: '["1"]', row: null })
    expect(change?.error).toMatch(/invalid memory alloc request size/)
  })
})

describe('rows that cannot be read again', () => {
  it('are recorded without keys and images, in chunks, with the reason', async () => {
    const table = await db.watched('id int primary key, data text')
    // Room for what the statement itself keeps in memory, and not for the sort of the trigger.
    await db.asSuperuser(`set work_mem = '256kB'; set temp_file_limit = 0;
      insert into ${table} select i, repeat('x', 100) from generate_series(1, 1600) i`)
    const chunks = await db.chunks(table)
    expect(chunks.map(({ keys, change_count }) => [keys, change_count])).toEqual([
      [null, 1000],
      [null, 600],
    ])
    for (const { row, error } of chunks.flatMap(({ changes }) => changes))
      expect([row, error]).toEqual([null, expect.stringContaining('temp_file_limit')])
  })
})

describe('a transaction', () => {
  it('of many statements leaves no subtransaction that wrote: more than 64 would slow all others down', async () => {
    const table = await db.watched('id int primary key, n int')
    const writer = await db.connect('owner')
    await writer.query('begin')
    for (let id = 0; id < 5; id++) await writer.query(`insert into ${table} values (${id}, 0)`)
    await writer.query(`update ${table} set n = 1; delete from ${table} where id > 2`)
    const { rows } = await writer.query(
      `select (pg_stat_get_backend_subxact(i)).subxact_count as count from pg_stat_get_backend_idset() i
       where pg_stat_get_backend_pid(i) = pg_backend_pid()`,
    )
    await writer.query('commit')
    expect(rows).toEqual([{ count: 0 }])
    expect(await db.changes(table)).toHaveLength(12)
  })

  it('that began before its table was watched, and still sees no webhook, is recorded', async () => {
    const { rows } = await db.owner.query("select 'public.early_' || gen_random_uuid() as name")
    const table = `public."${rows[0].name.slice(7)}"`
    await db.owner.query(`create table ${table} (id int primary key)`)
    const writer = await db.connect('owner')
    await writer.query('begin isolation level repeatable read; select 1')
    await db.watch(table)
    await writer.query(`insert into ${table} values (1)`)
    await writer.query('commit')
    expect(await db.events(table)).toEqual(['INSERT ["1"]'])
  })
})

describe('every way to write', () => {
  it('COPY is one statement like any other', async () => {
    const table = await db.watched('id int primary key')
    await copyFrom(db.owner, `copy ${table} from stdin`, '1\n2\n')
    expect((await db.changes(table)).map(({ key }) => key)).toEqual(['["1"]', '["2"]'])
  })

  it('upserts, MERGE and cascades of foreign keys are seen', async () => {
    const table = await db.watched('id int primary key, n int')
    const child = await db.watched(`id int primary key, parent int references ${table} on delete cascade`)
    await db.owner.query(`insert into ${table} values (1, 1)`)
    await db.owner.query(`insert into ${table} values (1, 1), (2, 1) on conflict (id) do update set n = 2`)
    await db.owner.query(`
      merge into ${table} t using (values (2), (3)) s (id) on t.id = s.id
      when matched then update set n = 9 when not matched then insert values (s.id, 9)`)
    await db.owner.query(`insert into ${child} values (10, 1)`)
    await db.owner.query(`delete from ${table} where id = 1`)
    expect((await db.changes(table)).map(({ event, key }) => `${event} ${key}`)).toEqual([
      'INSERT ["1"]',
      'UPDATE ["1"]',
      'INSERT ["2"]',
      'UPDATE ["2"]',
      'INSERT ["3"]',
      'DELETE ["1"]',
    ])
    expect((await db.changes(child)).map(({ event }) => event)).toEqual(['INSERT', 'DELETE'])
  })

  it('what a savepoint or a transaction takes back leaves nothing', async () => {
    const table = await db.watched('id int primary key')
    await db.owner.query(`
      begin; insert into ${table} values (1); savepoint s; insert into ${table} values (2); rollback to s;
      insert into ${table} values (3); commit`)
    await db.owner.query(`begin; insert into ${table} values (4); rollback`)
    expect((await db.changes(table)).map(({ key }) => key)).toEqual(['["1"]', '["3"]'])
  })

  it('rows of anon and service_role are recorded, though neither sees the outbox and policies hide rows', async () => {
    const table = await db.watched('id int primary key')
    await db.owner.query(`
      alter table ${table} enable row level security; grant insert on ${table} to anon;
      create policy blind on ${table} for insert to anon with check (true)`)
    for (const [index, role] of (['anon', 'service_role'] as const).entries()) {
      const client = await db.connect(role)
      await client.query(`set application_name = 'quoin:request-${index}'`)
      await client.query(`insert into ${table} values (${index})`)
      await expect(client.query('select * from quoin.row_events')).rejects.toThrow('permission denied')
    }
    const chunks = await db.chunks(table)
    expect(chunks.map(chunk => chunk.application_name)).toEqual(['quoin:request-0', 'quoin:request-1'])
  })

  it('a value of 20 MB, and a row of every built-in type', async () => {
    const table =
      await db.watched(`id int primary key, big text, f float8, b bool, d date, ts timestamp, tz timestamptz,
      tm time, iv interval, by bytea, j json, jb jsonb, u uuid, ip inet, mac macaddr, r int4range, mr int4multirange,
      a int[], t2 text[][], p point, x xml, v tsvector, bit bit(3), m money, o oid, c "char",
      s int generated always as (id * 2) stored`)
    await db.owner.query(`insert into ${table} (id, big) values (1, repeat(md5('x'), 655360))`)
    await db.owner.query(`
      insert into ${table} values (2, '', 'NaN', true, '2026-01-01', '2026-01-01', '2026-01-01Z', '10:00', '1 day',
        '\\x00', '{"a": 1}', '[1]', gen_random_uuid(), '::1', '08:00:2b:01:02:03', '[1,3)', '{[1,3)}', '{1,null}',
        '{{a,b}}', '(1,2)', '<a/>', 'a:1', '101', '1', 1, 'x')`)
    const [big, all] = await db.changes(table)
    expect(parse(big?.row ?? null).big).toHaveLength(655360 * 32)
    expect(parse(all?.row ?? null)).toMatchObject({
      f: 'NaN',
      by: '\\x00',
      j: { a: 1 },
      r: '[1,3)',
      a: [1, null],
      s: 4,
    })
  })
})

describe('order', () => {
  it('chunks with a key in common are placed as their transactions commit', async () => {
    const table = await db.watched('id int primary key, n int not null')
    await db.owner.query(`insert into ${table} select i, 0 from generate_series(1, 3) i`)
    const writers = await Promise.all(Array.from({ length: 8 }, () => db.connect('owner')))
    await Promise.all(
      writers.map(async (writer, index) => {
        for (let write = 0; write < 25; write++)
          await writer.query(`update ${table} set n = n + 1 where id = ${1 + ((index + write) % 3)}`)
      }),
    )
    const seen = new Map<string, number>()
    for (const { key, row, old_row } of (await db.changes(table)).slice(3)) {
      const expected = seen.get(String(key)) ?? 0
      expect([parse(old_row).n, parse(row).n]).toEqual([expected, expected + 1])
      seen.set(String(key), expected + 1)
    }
    expect([...seen.values()].reduce((sum, n) => sum + n, 0)).toBe(200)
  })

  it('what another AFTER ROW trigger changes in the same row has its place behind what set it off', async () => {
    const table = await db.watched('id int primary key, n int')
    await db.owner.query(`
      create function ${table}_again() returns trigger language plpgsql as $$
        begin update ${table} set n = 2 where id = new.id; return null; end $$;
      create trigger a after insert on ${table} for each row execute function ${table}_again()`)
    await db.watch(table)
    await db.owner.query(`insert into ${table} values (1, 1), (2, 1)`)
    const order = (await db.changes(table)).map(({ event, key }) => `${event} ${key}`)
    for (const key of ['["1"]', '["2"]'])
      expect(order.indexOf(`INSERT ${key}`)).toBeLessThan(order.indexOf(`UPDATE ${key}`))
    expect(order).toHaveLength(4)
  })

  it('is that of a key let go and taken again, where one statement does both', async () => {
    const table = await db.watched('id int primary key, n int')
    await db.owner.query(`
      create function ${table}_beside() returns trigger language plpgsql as $$ begin return null; end $$;
      create trigger a after insert on ${table} for each row execute function ${table}_beside()`)
    await db.watch(table)
    await db.owner.query(`insert into ${table} values (1, 1)`)
    await db.owner.query(
      `with gone as (delete from ${table} returning id) insert into ${table} select id, 2 from gone`,
    )
    expect(await db.events(table)).toEqual(['INSERT ["1"]', 'DELETE ["1"]', 'INSERT ["1"]'])
  })
})
