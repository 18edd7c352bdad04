// What trigger functions of watched tables call: how images and keys are made, under which settings, and of which tables the short
// way is enough. 0007 has the functions themselves, 0008 puts them on tables.

/** Larger images are not made: the change is recorded with its key and the reason. */
const IMAGE_BYTES_MAX = 64 * 1024 * 1024
const TOO_LARGE = `the row is larger than ${IMAGE_BYTES_MAX} bytes`
const CHUNK_ROWS_MAX = 1_000
/** Rows of a chunk are as many as fit here, at least one; what Postgres keeps them in, before they are JSON. */
const CHUNK_BYTES = 1_000_000
/** Rows that are much larger as JSON, compressed ones, make several chunks; but for a single row, a chunk has no more than this. */
const CHUNK_IMAGES_BYTES = 4_000_000
/** A `numeric` of a few bytes may have 147 000 digits: no more columns than whose digits fit into both images of an UPDATE. */
const SHORT_WAY_COLUMNS_MAX = 200

/**
 * What a user's cast does while images are made must not outlast them. In a block that catches (a subtransaction) this lets it write
 * nothing, DROP OWNED included, and ends with the block.
 */
const READ_ONLY = `pg_catalog.set_config('transaction_read_only', 'on', true)`
/** The cast may have put operators of its own in front. */
const OWN_SEARCH_PATH = `pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true)`

/** The source of a function as a template of `format`: its `{places}` are the arguments, in this order. */
const templateOf = (source, places) =>
  places.reduce(
    (text, place, i) => text.replaceAll(`{${place}}`, `%${i + 1}$s`),
    source.replaceAll('%', '%%'),
  )

// make_image is for the only change of a statement, on the long way: no SET, and no block that catches; its caller has both.
const CREATE_MAKE_IMAGES = `
  create function quoin.make_image(only_row record) returns json
    language plpgsql security definer as $body$
    declare
      image constant pg_catalog.json := pg_catalog.row_to_json(only_row);
    begin
      if pg_catalog.pg_column_size(image) operator(pg_catalog.>) ${IMAGE_BYTES_MAX / 2} then
        raise exception 'the row is too large';
      end if;
      return image;
    end
  $body$;
  comment on function quoin.make_image(record) is 'A row as JSON, for the triggers alone; raises where make_images has to look closer.';

  create function quoin.make_images(batch record)
    returns table (first int, last int, rows json[], old_rows json[], errors text[])
    language plpgsql security definer
    set search_path = pg_catalog, pg_temp as $body$
    declare
      image json;
      old_image json;
      failure text;
      image_bytes int;
      bytes int := 0;
      setting text;
    begin
      first := 1;
      last := batch.change_count;
      begin
        setting := ${READ_ONLY};
        -- In FROM, unnest would take each row apart to put it together again, at twice the cost of the whole trigger.
        rows := array(select row_to_json(made.from_row) from (select unnest(batch.rows) as from_row) made);
        setting := ${OWN_SEARCH_PATH};
        old_rows := case when batch.old_rows is not null
          then array(select row_to_json(made.from_row) from (select unnest(batch.old_rows) as from_row) made) end;
        setting := ${OWN_SEARCH_PATH};
        if pg_column_size(rows) + coalesce(pg_column_size(old_rows), 0) <= ${CHUNK_IMAGES_BYTES} then
          return next;
          return;
        end if;
      exception when others or assert_failure then
        null;
      end;
      -- One of the images cannot be made, or all are too much for a chunk: they are made one by one.
      rows := '{}';
      old_rows := case when batch.old_rows is not null then '{}'::json[] end;
      errors := '{}';
      for i in 1 .. batch.change_count loop
        begin
          failure := null;
          setting := ${READ_ONLY};
          image := row_to_json(batch.rows[i]);
          setting := ${OWN_SEARCH_PATH};
          old_image := row_to_json(batch.old_rows[i]);
          setting := ${OWN_SEARCH_PATH};
          image_bytes := pg_column_size(image) + coalesce(pg_column_size(old_image), 0);
          if image_bytes > ${IMAGE_BYTES_MAX} then
            raise exception '${TOO_LARGE} as JSON';
          end if;
        exception when others or assert_failure then
          failure := left(sqlerrm, 500);
          image := null;
          old_image := null;
          image_bytes := 0;
        end;
        if i > first and bytes + image_bytes > ${CHUNK_IMAGES_BYTES} then
          last := i - 1;
          return next;
          first := i;
          bytes := 0;
          rows := '{}';
          old_rows := case when old_rows is not null then '{}'::json[] end;
          errors := '{}';
        end if;
        bytes := bytes + image_bytes;
        rows := array_append(rows, image);
        -- Inside a CASE the array would be copied each time.
        if old_rows is not null then
          old_rows := array_append(old_rows, old_image);
        end if;
        errors := array_append(errors, failure);
      end loop;
      last := batch.change_count;
      return next;
    end
  $body$;
  comment on function quoin.make_images(record) is 'The rows of a batch as the JSON of one chunk, or of several where they are large: first and last say of which changes. What users can attach to that (a cast to json) runs as a role without any right, and its failure is caught.';
`

// A key is the compact JSON text of an array of texts, written by types' output functions, which concat and format call: `||` would
// run a user's cast to text, if the column has another type by now. Types whose texts need no escaping are simply put between quotes.
const CREATE_KEY_SQL = `
  create function quoin.key_sql(watched oid) returns text
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select case when bool_and(k.is_plain)
        then format($sql$pg_catalog.concat('["', %s, '"]')$sql$, string_agg(format('r.%I', k.name), $sql$, '","', $sql$ order by k.position))
        else format($sql$pg_catalog.concat('[', %s, ']')$sql$, string_agg(
          case when k.is_plain then format($sql$'"', r.%I, '"'$sql$, k.name) else format($sql$pg_catalog.to_json(pg_catalog.format('%%s', r.%I))$sql$, k.name) end,
          $sql$, ',', $sql$ order by k.position))
      end
    from (
      select a.attname as name, k.position,
        a.atttypid in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'uuid'::regtype) as is_plain
      from pg_index i
        cross join unnest(i.indkey) with ordinality as k (attnum, position)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
      where i.indrelid = watched and i.indisprimary and k.position <= i.indnkeyatts
    ) k
    having count(*) > 0
  $body$;
  comment on function quoin.key_sql(oid) is 'The expression for the key of a row called r; null for a table without a primary key.';
  revoke all on function quoin.key_sql(oid) from public;
`

// Settings of the writer's session must not show in keys and images, but of most tables no text depends on more of them than the
// time zone. (Dates follow DateStyle in keys; in JSON they do not.)
const CREATE_RECORDER_SETTINGS = `
  create function quoin.depends_on_settings(watched oid) returns boolean
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select not coalesce(bool_and(
        coalesce(nullif(t.typbasetype, 0), nullif(t.typelem, 0), t.oid)
          = any ('{bool,int2,int4,int8,numeric,text,varchar,bpchar,uuid,json,jsonb}'::regtype[])
        or t.oid = any ('{timestamptz,timestamp,date}'::regtype[]) and a.attnum <> all (coalesce(i.indkey, ''))
        or t.typtype = 'e'), true)
    from pg_attribute a
      join pg_type t on t.oid = a.atttypid
      left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
    where a.attrelid = watched and a.attnum > 0 and not a.attisdropped
  $body$;
  comment on function quoin.depends_on_settings(oid) is 'Whether keys or images of a table depend on settings of the session other than the time zone.';

  create function quoin.recorder_settings(watched oid) returns table (place int, name text, value text)
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select s.place, s.name, s.value
    from (values (1, 'search_path', 'pg_catalog, pg_temp', false), (2, 'timezone', 'UTC', false), (3, 'datestyle', 'ISO', true),
        (4, 'intervalstyle', 'postgres', true), (5, 'bytea_output', 'hex', true), (6, 'extra_float_digits', '1', true))
      as s (place, name, value, is_rare)
    where not s.is_rare or quoin.depends_on_settings(watched)
  $body$;
  comment on function quoin.recorder_settings(oid) is 'The settings under which the rows of a table have the same texts in every session, and nothing of a user is found by its name.';
  revoke all on function quoin.depends_on_settings(oid), quoin.recorder_settings(oid) from public;
`

// `has_shape` reads catalogs, and is declared immutable on purpose: so Postgres calls it while it plans, and keeps the answer in the plan.
// The statement names the table's oid, so Postgres makes its plan anew when the table, its columns or names change (0007, TABLE).
// Planning may still have a snapshot from before the table was locked: catalogs are therefore read by a volatile function, which takes a
// new one. Every session asks once for each event, before its first write: so one lookup by an index, and nothing that must be joined.
// The primary key is not asked for: all ways of recording know another one only once the table is watched anew.
//
// A hash that nobody can find a second text for: a column that got a type of a user's own under the same hash would run that
// user's casts as the role that writes the outbox.
const CREATE_SHAPE = `
  create function quoin.shape_of(watched oid) returns text
    language plpgsql volatile set search_path = pg_catalog, pg_temp set quote_all_identifiers = off as $body$
    begin
      return encode(sha256(convert_to(concat_ws(' ', watched::regclass,
        array(select concat_ws(' ', attnum, quote_ident(attname), atttypid) from pg_attribute
          where attrelid = watched and attnum > 0 and not attisdropped order by attnum)), 'UTF8')), 'hex');
    end
  $body$;
  comment on function quoin.shape_of(oid) is 'A hash of the name and the columns of a table: another one when what its trigger functions say of them is not so any more.';

  -- Above READ COMMITTED the catalogs may be read as they were before the table changed.
  create function quoin.has_shape(watched oid, shape text) returns boolean
    language plpgsql immutable as $body$
    begin
      return pg_catalog.current_setting('transaction_isolation') operator(pg_catalog.=) 'read committed'
        and shape operator(pg_catalog.=) quoin.shape_of(watched);
    end
  $body$;
  comment on function quoin.has_shape(oid, text) is 'Whether a table has the name and the columns that its trigger function was written for. Asked while a statement is planned.';
  revoke all on function quoin.shape_of(oid), quoin.has_shape(oid, text) from public;
  grant execute on function quoin.shape_of(oid), quoin.has_shape(oid, text) to quoin_outbox;
`

const CREATE_SHORT_WAY = `
  create function quoin.row_bytes_sql(watched oid) returns text
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select coalesce(
      string_agg(format('coalesce(pg_catalog.pg_column_size(r.%I), 0)', attname), ' operator(pg_catalog.+) ' order by attnum), '0')
    from pg_attribute
    where attrelid = watched and attnum > 0 and not attisdropped and attlen = -1 and attgenerated <> 'v'
  $body$;
  comment on function quoin.row_bytes_sql(oid) is 'The expression for the bytes of a row called r, as Postgres keeps its values: none of them is read for it. Without values of a fixed size.';

  create function quoin.has_short_way(watched oid) returns boolean
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select quoin.key_sql(watched) is not null and not quoin.depends_on_settings(watched)
      and count(*) <= ${SHORT_WAY_COLUMNS_MAX} and bool_and(coalesce(nullif(t.typbasetype, 0), t.oid)
        = any ('{bool,int2,int4,int8,numeric,text,varchar,bpchar,uuid,json,timestamptz,timestamp,date}'::regtype[]))
    from pg_attribute a join pg_type t on t.oid = a.atttypid
    where a.attrelid = watched and a.attnum > 0 and not a.attisdropped
  $body$;
  comment on function quoin.has_short_way(oid) is 'Whether a small row of this table becomes JSON without fail and without a user''s code.';
  revoke all on function quoin.row_bytes_sql(oid), quoin.has_short_way(oid) from public;
`

// A function can be given only to a role that may create in its schema.
const GIVE_AWAY = `
  grant create on schema quoin to quoin_images;
  alter function quoin.make_image(record) owner to quoin_images;
  alter function quoin.make_images(record) owner to quoin_images;
  revoke create on schema quoin from quoin_images;
  revoke all on function quoin.make_image(record), quoin.make_images(record) from public;
  grant execute on function quoin.make_image(record), quoin.make_images(record) to quoin_outbox;
`

exports.CHUNK_BYTES = CHUNK_BYTES
exports.CHUNK_ROWS_MAX = CHUNK_ROWS_MAX
exports.IMAGE_BYTES_MAX = IMAGE_BYTES_MAX
exports.TOO_LARGE = TOO_LARGE
exports.READ_ONLY = READ_ONLY
exports.templateOf = templateOf

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  for (const sql of [
    CREATE_MAKE_IMAGES,
    GIVE_AWAY,
    CREATE_KEY_SQL,
    CREATE_RECORDER_SETTINGS,
    CREATE_SHAPE,
    CREATE_SHORT_WAY,
  ]) {
    pgm.sql(sql)
  }
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql(`
    drop function quoin.has_short_way(oid);
    drop function quoin.row_bytes_sql(oid);
    drop function quoin.has_shape(oid, text);
    drop function quoin.shape_of(oid);
    drop function quoin.recorder_settings(oid);
    drop function quoin.depends_on_settings(oid);
    drop function quoin.key_sql(oid);
    drop function quoin.make_image(record);
    drop function quoin.make_images(record);
  `)
}
