// Moving what inserts have staged to the outbox, as chunks, by the functions of each staging table (0006): the listener does this
// before each look.

/** What is moved at a time: at first, and at most, while that is quick. As JSON it may be many times as much. */
const FIRST_PART_IDS = 1_000
const PART_IDS_MAX = 10_000
const QUICK = `interval '100 ms'`
/** From here on reading past rows that were moved costs more than to truncate. */
const TRUNCATE_BYTES_MIN = 8_000_000

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
      move constant text := 'select quoin_staging.%I($1, $2)';
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
            exit when coalesce(pg_relation_size(to_regclass(format('quoin_staging.%I', staging.name))), 0) = 0;
            execute format('select * from quoin_staging.%I($1)', 'part_of_' || staging.name) into part using ids;
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
        exception when others then
          -- Unless it was empty, and has been dropped this moment.
          if to_regclass(format('quoin_staging.%I', staging.name)) is not null then
            held_id := least(held_id, coalesce(oldest_id, 0));
            unmoved := unmoved || format('%s: %s', staging.name, sqlstate);
          end if;
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
          execute format('select count(*) as changes, min("!at") as oldest_at from (select "!at" from quoin_staging.%I limit $1) s', staging)
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
        where pg_relation_size(to_regclass(format('quoin_staging.%I', s.name))) > ${TRUNCATE_BYTES_MIN} order by random() limit 1;
      if found then
        execute format('lock table quoin_staging.%I in access exclusive mode nowait', staging);
        if not quoin.has_staged_rows(staging) then
          execute format('truncate quoin_staging.%I', staging);
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
  for (const sql of [CREATE_MOVE_ALL_STAGED, CREATE_TRUNCATE_MOVED]) pgm.sql(sql)
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql(`
    drop function quoin.truncate_moved_staging();
    drop function quoin.staged_backlog(int);
    drop function quoin.move_all_staged(int, interval);
  `)
}
