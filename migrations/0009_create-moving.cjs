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

// Chunks of rows with consecutive ids, under the first of these: whatever else happened drew ids of its own, so nothing lies
// between. The rows of a chunk are of one transaction and one application_name and were written within a second, so that what
// the chunk says is true of all.
const CREATE_MOVE_STAGED = `
  create function quoin.move_staged(staging quoin.staging_tables, last_id bigint, failure text default null) returns void
    language plpgsql set search_path = pg_catalog, pg_temp as $body$
    begin
      execute format($sql$
        insert into quoin.row_events (id, table_id, event, table_schema, table_name, occurred_at, application_name, keys, change_count,
          rows, errors) overriding system value
        select batch.ids[made.first], $1.table_id, 'INSERT', $1.table_schema, $1.table_name, batch.occurred_at, batch.application_name,
          case when batch.keys[1] is not null then batch.keys[made.first:made.last] end, made.last - made.first + 1, made.rows,
          case when batch.has_images then made.errors else array_fill(coalesce($3, '${TOO_LARGE}'), array[batch.change_count]) end
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
                select r."!id" as id, r."!at" as occurred_at, r."!application_name" as application_name, %1$s as key, %2$s as bytes,
                  case when %2$s <= ${IMAGE_BYTES_MAX} and $3 is null then coalesce(image.*) end as image,
                  row(r."!id" - 1, r.xmin::text, r."!application_name")
                    is distinct from row(lag(r."!id") over by_id, lag(r.xmin::text) over by_id, lag(r."!application_name") over by_id) as begins_run
                from quoin_outbox.%3$I r cross join lateral (select %4$s) image
                where r."!id" <= $2
                window by_id as (order by r."!id")
              ) s
            ) s
          ) c
          group by c.run, c.second, c.part
        ) batch cross join lateral quoin.make_images(batch) made
      $sql$, staging.key_sql, staging.bytes_sql, staging.name, quoin.column_list(staging.column_names, 'r.')) using staging, last_id, failure;
      execute format('delete from quoin_outbox.%I where "!id" <= $1', staging.name) using last_id;
    end
  $body$;
  comment on function quoin.move_staged(quoin.staging_tables, bigint, text) is 'Moves the rows of a staging table up to this id to the outbox, in chunks; with a failure, that in place of their images.';

  create function quoin.next_part_of(staging quoin.staging_tables, ids int, out first_id bigint, out last_id bigint, out has_more boolean)
    language plpgsql set search_path = pg_catalog, pg_temp as $body$
    declare
      highest_id bigint;
    begin
      execute format('select min("!id"), max("!id") from quoin_outbox.%I', staging.name) into first_id, highest_id;
      if first_id is null then
        return;
      end if;
      execute format($sql$
        select max(id) from (
          select id, sum(bytes) over (order by id) - bytes as bytes_before
          from (select r."!id" as id, %s as bytes from quoin_outbox.%I r where r."!id" < $1) r
        ) r where bytes_before < ${PART_BYTES}
      $sql$, staging.bytes_sql, staging.name) into last_id using first_id + ids;
      has_more := highest_id > last_id;
    end
  $body$;
  comment on function quoin.next_part_of(quoin.staging_tables, int) is 'From which id to which one rows of a staging table are moved next, at most so many; null when it is empty.';
  revoke all on function quoin.move_staged(quoin.staging_tables, bigint, text), quoin.next_part_of(quoin.staging_tables, int) from public;
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
            part := quoin.next_part_of(staging, ids);
            exit when part.first_id is null;
            oldest_id := coalesce(oldest_id, part.first_id);
            if has_moved and clock_timestamp() > ends_at then
              up_to := least(up_to, part.first_id - 1);
              exit;
            end if;
            part_began_at := clock_timestamp();
            begin
              perform quoin.move_staged(staging, part.last_id);
              ids := case when clock_timestamp() < part_began_at + ${QUICK} then least(ids_max, ids * 2) else greatest(1, ids / 2) end;
            exception when insufficient_resources then
              raise;
            when others then
              -- One of the rows cannot be read or made JSON. Alone, it is recorded with its key and the reason.
              if part.last_id > part.first_id then
                ids := greatest(1, least(ids, part.last_id - part.first_id) / 4);
                continue;
              end if;
              perform quoin.move_staged(staging, part.last_id, left(sqlerrm, 500));
            end;
            has_moved := true;
            exit when not part.has_more;
          end loop;
        exception when undefined_table then
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
  for (const sql of [CREATE_MOVE_STAGED, CREATE_MOVE_ALL_STAGED, CREATE_TRUNCATE_MOVED]) pgm.sql(sql)
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql(`
    drop function quoin.truncate_moved_staging();
    drop function quoin.staged_backlog(int);
    drop function quoin.move_all_staged(int, interval);
    drop function quoin.next_part_of(quoin.staging_tables, int);
    drop function quoin.move_staged(quoin.staging_tables, bigint, text);
  `)
}
