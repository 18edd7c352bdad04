// Moving what inserts have staged to the outbox, as chunks, by the functions of each staging table (0006), and numbering chunks: the listener does
// this before each look.

/** What is moved at a time: at first, and at most, while that is quick. As JSON it may be many times as much. */
const FIRST_PART_ROWS = 1_000
const PART_ROWS_MAX = 10_000
const QUICK = `interval '100 ms'`
/** Chunks of triggers that are numbered at a time. */
const CHUNKS_MAX = 10_000
const ID_MIN = `'-9223372036854775808'::bigint`
/** From here on reading past rows that were moved costs more than to truncate. */
const TRUNCATE_BYTES_MIN = 8_000_000
/** Of each staging table, for the age of the oldest change that waits. */
const STAGED_ROWS_LOOKED_AT = 1_000

// Called under the settings of quoin.move_all_staged alone.
const CREATE_NUMBER_CHUNKS = `
  create function quoin.number_chunks(unnumbered_below bigint, rest pg_lsn, delayed oid[]) returns pg_lsn
    language plpgsql as $body$
    declare
      former_id bigint;
    begin
      -- One by one: planned while the outbox is empty, a join would read all of it for each chunk.
      for former_id in select e.id from quoin.row_events e
        where e.id < unnumbered_below and e.id > coalesce(('0/0'::pg_lsn - rest)::bigint, ${ID_MIN}) and e.table_id <> all (delayed)
        order by e.id desc
      loop
        update quoin.row_events e set id = nextval('quoin.row_events_id_seq') where e.id = former_id;
      end loop;
      return '0/0'::pg_lsn - former_id;
    end
  $body$;
  comment on function quoin.number_chunks(bigint, pg_lsn, oid[]) is 'Gives chunks their numbers, in the order of their positions: those with an id below the given one, before the position rest (null: all), and not of the tables delayed. Answers the highest position; null: there was none.';
  revoke all on function quoin.number_chunks(bigint, pg_lsn, oid[]) from public;
`

// In random order, so that no table waits behind the same others each time. What cannot be moved (a broken page, a lock that
// somebody holds) stays, and nobody else's rows wait for it.
//
// Numbers are given in the order of positions among the chunks of one table. Where none of its chunks waits for a number, those that are
// made of staged rows get theirs at once.
const CREATE_MOVE_ALL_STAGED = `
  create function quoin.move_all_staged(rows_max int default ${PART_ROWS_MAX}, budget interval default '1 second', above numeric default 0,
      untried text[] default '{}',
      out numbered_up_to numeric, out rest_from numeric, out held_from numeric, out unmoved text[])
    language plpgsql
    set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO' set intervalstyle = 'postgres' set bytea_output = 'hex'
    set extra_float_digits = 1 set work_mem = '64MB' set lock_timeout = '200ms'
    -- The outbox is often empty when its statements are planned, and full when they are run.
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = on as $body$
    declare
      ends_at constant timestamptz := clock_timestamp() + budget;
      move constant text := 'select quoin_staging.%I($1, $2, $3)';
      began_at constant pg_lsn := pg_current_wal_insert_lsn();
      -- Ids below it are negated positions of chunks without a number.
      unnumbered_below constant bigint := -above;
      -- Positions: of the first change that is left for the next call, and from which on staging tables that cannot be moved have rows.
      rest pg_lsn;
      held pg_lsn;
      oldest pg_lsn;
      former_failure text;
      has_chunks boolean;
      other_chunks pg_lsn[];
      -- Tables whose staged rows could not be moved this time.
      delayed oid[] := '{}';
      has_moved boolean := false;
      staging quoin.staging_tables;
      part_rows int := least(${FIRST_PART_ROWS}, rows_max);
      part_began_at timestamptz;
      part record;
      highest pg_lsn;
    begin
      if current_setting('transaction_isolation') <> 'repeatable read' then
        raise exception 'quoin.move_all_staged needs REPEATABLE READ'
          using hint = 'Otherwise it would delete rows that it has not seen, and chunks would be read out of order.';
      end if;
      has_chunks := exists (select from quoin.row_events e where e.id < unnumbered_below);
      if has_chunks then
        select '0/0'::pg_lsn - e.id into rest from quoin.row_events e where e.id < unnumbered_below
          order by e.id desc offset least(${CHUNKS_MAX}, rows_max) limit 1;
      end if;
      for staging in select * from quoin.staging_tables order by random() loop
        begin
          oldest := null;
          other_chunks := null;
          former_failure := (select split_part(u, ': ', 2) from unnest(untried) u where split_part(u, ': ', 1) = staging.name);
          if former_failure is not null then
            raise exception using errcode = former_failure;
          end if;
          loop
            exit when coalesce(pg_relation_size(to_regclass(format('quoin_staging.%I', staging.name))), 0) = 0;
            execute format('select * from quoin_staging.%I($1, $2)', 'part_of_' || staging.name) into part using part_rows, rest;
            exit when part.first_position is null;
            oldest := coalesce(oldest, part.first_position);
            if has_moved and clock_timestamp() > ends_at then
              rest := part.first_position;
              exit;
            end if;
            -- Rows of two staging tables of one table are in order only by positions, too.
            if other_chunks is null and (has_chunks
              or exists (select from quoin.staging_tables s where s.table_id = staging.table_id and s.name <> staging.name))
            then
              has_chunks := true;
              other_chunks := array(select '0/0'::pg_lsn - e.id from quoin.row_events e
                where e.id < unnumbered_below and e.id > coalesce(('0/0'::pg_lsn - rest)::bigint, ${ID_MIN}) and e.table_id = staging.table_id
                order by e.id desc);
            end if;
            part_began_at := clock_timestamp();
            begin
              execute format(move, 'move_' || staging.name) using part.last_position, null::text, other_chunks;
              -- Not below the first: where much is staged, finding a part takes longer than to move it.
              part_rows := least(rows_max, case when clock_timestamp() < part_began_at + ${QUICK} then part_rows * 2
                else greatest(least(${FIRST_PART_ROWS}, part_rows), part_rows / 2) end);
            exception when insufficient_resources or lock_not_available or transaction_rollback then
              raise; -- Not for a row's sake.
            when others then
              -- One of the rows cannot be read or made JSON. Alone, it is recorded with its key and the reason.
              if part.row_count > 1 then
                part_rows := greatest(1, least(part_rows, part.row_count) / 4);
                continue;
              end if;
              execute format(move, 'move_' || staging.name) using part.last_position, left(sqlerrm, 500), other_chunks;
            end;
            has_moved := true;
            exit when not part.has_more;
          end loop;
        exception when others then
          -- What will be over must not put later changes of the same rows before these.
          if sqlstate ~ '^(?:53|55|40)' then
            delayed := delayed || staging.table_id;
          end if;
          -- Unless it was empty, and has been dropped this moment.
          if to_regclass(format('quoin_staging.%I', staging.name)) is not null then
            held := least(held, coalesce(oldest, '0/0'));
            unmoved := unmoved || format('%s: %s', staging.name, sqlstate);
          end if;
        end;
      end loop;
      if has_chunks then
        highest := quoin.number_chunks(unnumbered_below, rest, delayed);
        if delayed <> '{}' then
          rest := least(rest, (select '0/0'::pg_lsn - max(e.id) from quoin.row_events e
            where e.id < unnumbered_below and e.table_id = any (delayed)));
        end if;
      end if;
      if highest is not null then
        -- What a backup brought may lie beyond: that says nothing about what is written now.
        numbered_up_to := least(highest, began_at) - '0/0';
      end if;
      rest_from := rest - '0/0';
      held_from := held - '0/0';
    end
  $body$;
  comment on function quoin.move_all_staged(int, interval, numeric, text[]) is 'Moves what is staged to the outbox and gives chunks without a number theirs, in a transaction at REPEATABLE READ; at most rows_max rows at a time, and begins nothing more once the budget is used up. Positions are bytes of WAL. above: a position up to which there is nothing without a number. numbered_up_to: the highest position of a chunk of a trigger that was numbered; null: none was. rest_from: from here on changes are left for the next call; null: none are. unmoved: staging tables that cannot be moved, with the SQLSTATE; untried: those of an earlier call that are not tried this time, and count as before; held_from: from here on they may still bring chunks without a number.';

  create function quoin.staged_backlog(rows_max int, out changes bigint, out chunks int, out oldest_at timestamptz)
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
      select changes + coalesce(sum(e.change_count), 0), count(*), least(oldest_at, min(e.occurred_at)) into changes, chunks, oldest_at
        from (select change_count, occurred_at from quoin.row_events where id < 0 limit rows_max) e;
    end
  $body$;
  comment on function quoin.staged_backlog(int) is 'How many changes are staged or in chunks without a number, counted up to rows_max for each table, how many chunks those are, and when the oldest was made.';
  revoke all on function quoin.move_all_staged(int, interval, numeric, text[]), quoin.staged_backlog(int) from public;
`

// The first of the numbered chunks has waited longest since it became visible, whenever its change was made. Of
// staged rows the first that are found are near enough.
const CREATE_OLDEST_WAITING_CHANGE = `
  create function quoin.oldest_waiting_change() returns timestamptz
    language sql volatile set search_path = pg_catalog, pg_temp as $body$
    select least(
      (select occurred_at from quoin.row_events where id > 0 order by id limit 1),
      (select occurred_at from quoin.row_events where id < 0 order by id desc limit 1),
      (select oldest_at from quoin.staged_backlog(${STAGED_ROWS_LOOKED_AT})))
  $body$;
  comment on function quoin.oldest_waiting_change() is
    'When the change was made that has waited longest for the listener and the Worker; null: none waits.';
  revoke all on function quoin.oldest_waiting_change() from public;
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
  for (const sql of [
    CREATE_NUMBER_CHUNKS,
    CREATE_MOVE_ALL_STAGED,
    CREATE_OLDEST_WAITING_CHANGE,
    CREATE_TRUNCATE_MOVED,
  ])
    pgm.sql(sql)
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql(`
    drop function quoin.truncate_moved_staging();
    drop function quoin.oldest_waiting_change();
    drop function quoin.staged_backlog(int);
    drop function quoin.move_all_staged(int, interval, numeric, text[]);
    drop function quoin.number_chunks(bigint, pg_lsn, oid[]);
  `)
}
