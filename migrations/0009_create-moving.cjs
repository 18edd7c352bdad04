// Moving what inserts have staged (0006) to the outbox, as chunks: the listener does this before each look.

const {
  CHUNK_BYTES,
  CHUNK_ROWS_MAX,
  IMAGE_BYTES_MAX,
  TOO_LARGE,
} = require('./0005_create-row-change-recorders.cjs')

/** What is moved at a time: at first, and at most, while that is quick. As JSON it may be many times as much. */
const FIRST_PART_IDS = 1_000
const PART_IDS_MAX = 10_000
const PART_BYTES = 4_000_000
const QUICK = `interval '100 ms'`
/** From here on reading past rows that were moved costs more than to truncate. */
const TRUNCATE_BYTES_MIN = 8_000_000

// Each staging table has two functions of its own, beside it in the schema `quoin_outbox`: their statements name its columns and stay
// planned in the listener's session. Planned anew for each look, they would cost a look 2 ms for each table that was written to.

/** What is moved next: at most so many ids, and no more bytes than PART_BYTES but for a single row. Nulls when nothing is staged. */
const PART_SOURCE = `
  declare
    highest_id bigint;
  begin
    select min(r."!id"), max(r."!id") into first_id, highest_id from quoin_outbox.{staging} r;
    if first_id is not null then
      select max(p.id) into last_id from (
        select s.id, sum(s.bytes) over (order by s.id) - s.bytes as bytes_before
        from (select r."!id" as id, {bytes} as bytes from quoin_outbox.{staging} r) s
        where s.id < first_id + ids
      ) p where p.bytes_before < ${PART_BYTES};
      has_more := highest_id > last_id;
    end if;
  end
`

/**
 * Moves the rows up to an id to the outbox; with a failure, that in place of their images. A chunk is of rows with consecutive ids, under the first of
 * these: whatever else happened drew ids of its own, so nothing lies between. Its rows are of one transaction and one application_name and were
 * written within a second, so that what the chunk says is true of all. Parameters go by their numbers: a user's column may have any name.
 */
const MOVE_SOURCE = `
  begin
    insert into quoin.row_events (id, table_id, event, table_schema, table_name, occurred_at, application_name, keys, change_count,
      rows, errors) overriding system value
    select batch.ids[made.first], {table_id}, 'INSERT', {table_schema}, {table_name}, batch.occurred_at, batch.application_name,
      case when batch.keys[1] is not null then batch.keys[made.first:made.last] end, made.last - made.first + 1, made.rows,
      case when batch.has_images then made.errors else array_fill(coalesce($2, '${TOO_LARGE}'), array[batch.change_count]) end
    from (
      select min(c.occurred_at) as occurred_at, min(c.application_name) as application_name, array_agg(c.id order by c.id) as ids,
        array_agg(c.key order by c.id) as keys, array_agg(c.image order by c.id) as rows,
        -- A null of the same type, which make_images asks for.
        array_agg(c.image) filter (where false) as old_rows,
        count(*)::int as change_count, count(c.image) = count(*) as has_images
      from (
        select s.*, (row_number() over (partition by s.run order by s.id) - 1)
            / greatest(1, least(${CHUNK_ROWS_MAX}, ${CHUNK_BYTES} / greatest(1, max(s.bytes) over (partition by s.run)))) as part,
          trunc(extract(epoch from s.occurred_at - min(s.occurred_at) over (partition by s.run))) as second
        from (select s.*, count(*) filter (where s.begins_run) over (order by s.id) as run
          from (
            select r."!id" as id, r."!at" as occurred_at, r."!application_name" as application_name, {key} as key, {bytes} as bytes,
              case when {bytes} <= ${IMAGE_BYTES_MAX} and $2 is null then coalesce(image.*) end as image,
              row(r."!id" - 1, r.xmin::text, r."!application_name")
                is distinct from row(lag(r."!id") over by_id, lag(r.xmin::text) over by_id, lag(r."!application_name") over by_id) as begins_run
            from quoin_outbox.{staging} r cross join lateral (select {columns}) image
            where r."!id" <= $1
            window by_id as (order by r."!id")
          ) s
        ) s
      ) c
      group by c.run, c.second, c.part
    ) batch cross join lateral quoin.make_images(batch) made;
    delete from quoin_outbox.{staging} r where r."!id" <= $1;
  end
`

const PLACES = ['staging', 'key', 'bytes', 'columns', 'table_id', 'table_schema', 'table_name']
const templateOf = source =>
  PLACES.reduce(
    (text, place, i) => text.replaceAll(`{${place}}`, `%${i + 1}$s`),
    source.replaceAll('%', '%%'),
  )

const CREATE_MOVERS = `
  create function quoin.create_movers(staging quoin.staging_tables) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $body$
    declare
      part_of constant text := format('quoin_outbox.%I', 'part_of_' || staging.name);
      move constant text := format('quoin_outbox.%I', 'move_' || staging.name);
      places constant text[] := array[quote_ident(staging.name), coalesce(quoin.key_sql(staging.table_id), 'null::text'),
        '(0::bigint + ' || quoin.row_bytes_sql(staging.table_id) || ')', quoin.column_list(staging.column_names, 'r.'),
        staging.table_id::text, quote_literal(staging.table_schema), quote_literal(staging.table_name)];
    begin
      execute format('create or replace function %s(ids int, out first_id bigint, out last_id bigint, out has_more boolean) language plpgsql as %L',
        part_of, format($source$${templateOf(PART_SOURCE)}$source$, variadic places));
      execute format('create or replace function %s(up_to_id bigint, failure text) returns void language plpgsql as %L',
        move, format($source$${templateOf(MOVE_SOURCE)}$source$, variadic places));
      execute format('revoke all on function %s(int), %s(bigint, text) from public', part_of, move);
    end
  $body$;
  comment on function quoin.create_movers(quoin.staging_tables) is 'Makes the functions with which the rows of a staging table are moved: part_of_... says which are next, move_... moves them.';

  create function quoin.drop_movers(staging text) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $body$
    begin
      execute format('drop function if exists quoin_outbox.%I(int), quoin_outbox.%I(bigint, text)', 'part_of_' || staging, 'move_' || staging);
    end
  $body$;
  revoke all on function quoin.create_movers(quoin.staging_tables), quoin.drop_movers(text) from public;
`

// In random order, so that no table waits behind the same others each time. What cannot be moved (a broken page, a lock that
// somebody holds) stays, and nobody else's rows wait for it.
const CREATE_MOVE_ALL_STAGED = `
  create function quoin.move_all_staged(ids_max int default ${PART_IDS_MAX}, budget interval default '1 second',
      out up_to bigint, out held_id bigint, out unmoved text[])
    language plpgsql
    set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO' set intervalstyle = 'postgres' set bytea_output = 'hex'
    set extra_float_digits = 1 set enable_seqscan = on set enable_sort = on set work_mem = '64MB' set lock_timeout = '200ms' as $body$
    declare
      ends_at constant timestamptz := clock_timestamp() + budget;
      move constant text := 'select quoin_outbox.%I($1, $2)';
      has_moved boolean := false;
      staging quoin.staging_tables;
      oldest_id bigint;
      ids int := least(${FIRST_PART_IDS}, ids_max);
      part_began_at timestamptz;
      part record;
    begin
      if current_setting('transaction_isolation') <> 'repeatable read' then
        raise exception 'quoin.move_all_staged needs REPEATABLE READ'
          using hint = 'Otherwise it would delete rows that it has not seen, and chunks would be read out of order.';
      end if;
      for staging in select * from quoin.staging_tables order by random() loop
        oldest_id := null;
        begin
          loop
            exit when coalesce(pg_relation_size(to_regclass(format('quoin_outbox.%I', staging.name))), 0) = 0;
            execute format('select * from quoin_outbox.%I($1)', 'part_of_' || staging.name) into part using ids;
            exit when part.first_id is null;
            oldest_id := coalesce(oldest_id, part.first_id);
            if has_moved and clock_timestamp() > ends_at then
              up_to := least(up_to, part.first_id - 1);
              exit;
            end if;
            part_began_at := clock_timestamp();
            begin
              execute format(move, 'move_' || staging.name) using part.last_id, null::text;
              ids := case when clock_timestamp() < part_began_at + ${QUICK} then least(ids_max, ids * 2) else greatest(1, ids / 2) end;
            exception when insufficient_resources then
              raise;
            when others then
              -- One of the rows cannot be read or made JSON. Alone, it is recorded with its key and the reason.
              if part.last_id > part.first_id then
                ids := greatest(1, least(ids, part.last_id - part.first_id) / 4);
                continue;
              end if;
              execute format(move, 'move_' || staging.name) using part.last_id, left(sqlerrm, 500);
            end;
            has_moved := true;
            exit when not part.has_more;
          end loop;
        exception when undefined_table or undefined_function then
          null; -- It was empty, and has been dropped this moment.
        when others then
          held_id := least(held_id, coalesce(oldest_id, 0));
          unmoved := unmoved || format('%s: %s', staging.name, sqlstate);
        end;
      end loop;
    end
  $body$;
  comment on function quoin.move_all_staged(int, interval) is 'Moves what is staged to the outbox, in a transaction at REPEATABLE READ; at most ids_max rows at a time, and begins nothing more once the budget is used up. up_to: until it is called again, only chunks up to this id may be read, since rows before others are still staged; null: all. unmoved: staging tables that cannot be moved, with the SQLSTATE; their oldest row has the id held_id, 0: nobody knows.';

  create function quoin.staged_backlog(rows_max int, out changes bigint, out oldest_at timestamptz)
    language plpgsql set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $body$
    declare
      staging text;
      counted record;
    begin
      changes := 0;
      for staging in select name from quoin.staging_tables loop
        begin
          execute format('select count(*) as changes, min("!at") as oldest_at from (select "!at" from quoin_outbox.%I limit $1) s', staging)
            into counted using rows_max;
          changes := changes + counted.changes;
          oldest_at := least(oldest_at, counted.oldest_at);
        exception when others then
          null; -- Dropped, locked or broken: that is for the move to say.
        end;
      end loop;
    end
  $body$;
  comment on function quoin.staged_backlog(int) is 'How many changes are staged, counted up to rows_max for each table, and when the oldest was made.';
  revoke all on function quoin.move_all_staged(int, interval), quoin.staged_backlog(int) from public;
`

// Whoever keeps a transaction open keeps vacuum from removing rows that were moved, and each move would read past all of them.
const CREATE_TRUNCATE_MOVED = `
  create function quoin.truncate_moved_staging() returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $body$
    declare
      staging text;
    begin
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'quoin.truncate_moved_staging needs READ COMMITTED'
          using hint = 'Otherwise it would not see rows that were staged a moment ago.';
      end if;
      select s.name into staging from quoin.staging_tables s
        where pg_relation_size(to_regclass(format('quoin_outbox.%I', s.name))) > ${TRUNCATE_BYTES_MIN} order by random() limit 1;
      if found then
        execute format('lock table quoin_outbox.%I in access exclusive mode nowait', staging);
        if not quoin.has_staged_rows(staging) then
          execute format('truncate quoin_outbox.%I', staging);
        end if;
      end if;
    exception when lock_not_available or undefined_table then
      null; -- Somebody writes to it, or it is gone.
    end
  $body$;
  comment on function quoin.truncate_moved_staging() is 'Empties a large staging table of rows that were moved, if there is one to which nobody writes at the moment.';
  revoke all on function quoin.truncate_moved_staging() from public;
`

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  for (const sql of [CREATE_MOVERS, CREATE_MOVE_ALL_STAGED, CREATE_TRUNCATE_MOVED]) pgm.sql(sql)
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql(`
    drop function quoin.truncate_moved_staging();
    drop function quoin.staged_backlog(int);
    drop function quoin.move_all_staged(int, interval);
    drop function quoin.drop_movers(text);
    drop function quoin.create_movers(quoin.staging_tables);
  `)
}
