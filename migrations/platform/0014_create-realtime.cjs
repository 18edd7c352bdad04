// Realtime: which tables sockets watch beside webhooks, who may see a recorded row, and messages that SQL sends.
// docs/design/realtime.md says how it works together.
//
// What this must keep true: a row is shown to whom the table's policies would show it, as they are in that moment. The
// policies run with the caller's rights. What one caller's policies do reaches no other caller.

const REFUSE_ANOTHER = `
  do $do$
  begin
    if to_regnamespace('realtime') is not null then
      raise exception 'There is a schema "realtime" already, and Quoin needs one of its own by this name'
        using hint = 'Rename it (ALTER SCHEMA realtime RENAME TO old_realtime), then migrate again.';
    end if;
  end
  $do$
`

// The version is what the listener puts into its messages: who is told of a newer one reads again who wants what.
const CREATE_WATCHES = `
  create table quoin.realtime_watches (
    table_id oid primary key,
    table_schema text not null,
    table_name text not null,
    wanted_until timestamptz not null
  );
  comment on table quoin.realtime_watches is 'Tables that sockets watch, and until when, if nobody asks again.';
  create table quoin.realtime_state (
    is_the_only_row boolean primary key default true check (is_the_only_row),
    gaps bigint not null default 0
  );
  comment on column quoin.realtime_state.gaps is
    'How often changes passed the log of realtime by: whoever listens must read its tables again.';
  insert into quoin.realtime_state default values;
  revoke all on quoin.realtime_watches, quoin.realtime_state from public;

  comment on table quoin.webhook_registry is
    'Grows with every change of who wants what: of quoin.webhooks, health aside, and of tables that sockets watch.';
  create trigger raise_webhook_registry
    after insert or delete or truncate or update of table_id on quoin.realtime_watches
    for each statement execute function quoin.raise_webhook_registry();
  create trigger raise_webhook_registry after update of gaps on quoin.realtime_state
    for each statement execute function quoin.raise_webhook_registry();
`

// As Supabase's: policies and clients name these columns and functions.
const CREATE_MESSAGES = `
  create schema realtime;
  comment on schema realtime is 'Messages that SQL sends to channels, and the policies of private channels.';
  revoke all on schema realtime from public;
  grant usage on schema realtime to anon, service_role;

  create table realtime.messages (
    id uuid primary key default gen_random_uuid(),
    topic text not null,
    extension text not null,
    event text,
    payload jsonb,
    binary_payload bytea,
    private boolean default false,
    updated_at timestamp not null default (now() at time zone 'UTC'),
    inserted_at timestamp not null default (now() at time zone 'UTC')
  );
  comment on table realtime.messages is
    'Who may read and write a topic, by policies. Its rows are sent as broadcasts, and deleted after 72 hours.';
  create index messages_oldest on realtime.messages (inserted_at);
  create index messages_of_topic on realtime.messages (topic, inserted_at desc) where extension = 'broadcast';
  alter table realtime.messages enable row level security;
  grant select, insert on realtime.messages to anon, service_role;

  create function realtime.topic() returns text
    language sql stable parallel safe
    return nullif(current_setting('realtime.topic', true), '');
  comment on function realtime.topic() is 'The topic that is joined or sent to, for policies.';
`

// None has a search path of its own: policies call functions that look for names where the session does. The topic is
// put back: policies that are asked later in the transaction must not take it for theirs.
const CREATE_SENDING = `
  create function quoin.send_message(
      message_id uuid, body jsonb, bytes bytea, event_name text, topic_name text, is_private boolean) returns void
    language plpgsql as $body$
    declare
      before constant text := pg_catalog.current_setting('realtime.topic', true);
    begin
      if pg_catalog.row_security_active('realtime.messages'::pg_catalog.regclass) and not exists (
        select from pg_catalog.pg_policy p where p.polrelid = 'realtime.messages'::pg_catalog.regclass
          and p.polcmd in ('a', '*') and p.polpermissive)
      then
        raise exception 'No policy lets % send to the topic "%"', current_user, topic_name
          using errcode = '42501', hint = 'CREATE POLICY ... ON realtime.messages FOR INSERT WITH CHECK '
            '(realtime.topic() = ...), or send in a SECURITY DEFINER function.';
      end if;
      perform pg_catalog.set_config('realtime.topic', topic_name, true);
      insert into realtime.messages (id, payload, binary_payload, event, topic, private, extension)
        values (message_id, body, bytes, event_name, topic_name, is_private, 'broadcast');
      perform pg_catalog.set_config('realtime.topic', coalesce(before, ''), true);
    end
  $body$;
  comment on function quoin.send_message(uuid, jsonb, bytea, text, text, boolean) is
    'Writes a message that is sent when the transaction commits. The caller''s policies decide.';

  create function realtime.send(payload jsonb, event text, topic text, private boolean default true) returns void
    language plpgsql as $body$
    declare
      message_id constant uuid := pg_catalog.gen_random_uuid();
    begin
      if pg_catalog.jsonb_typeof(payload) = 'object' and not pg_catalog.jsonb_exists(payload, 'id') then
        payload := pg_catalog.jsonb_set(payload, '{id}', pg_catalog.to_jsonb(message_id));
      end if;
      perform quoin.send_message(message_id, payload, null, event, topic, private);
    end
  $body$;
  comment on function realtime.send(jsonb, text, text, boolean) is
    'Sends a broadcast when the transaction commits. The caller''s policies on realtime.messages decide.';

  create function realtime.send_binary(payload bytea, event text, topic text, private boolean default true) returns void
    language plpgsql as $body$
    begin
      perform quoin.send_message(pg_catalog.gen_random_uuid(), null, payload, event, topic, private);
    end
  $body$;
  comment on function realtime.send_binary(bytea, text, text, boolean) is 'As realtime.send, with bytes.';

  create function realtime.broadcast_changes(
      topic_name text, event_name text, operation text, table_name text, table_schema text, new record, old record,
      level text default 'ROW') returns void
    language plpgsql as $body$
    begin
      if level = 'STATEMENT' then
        raise exception 'realtime.broadcast_changes is for triggers of each row, not of each statement'
          using errcode = '22023', hint = 'CREATE TRIGGER ... FOR EACH ROW.';
      elsif operation in ('INSERT', 'UPDATE', 'DELETE') is not true then
        raise exception 'realtime.broadcast_changes knows INSERT, UPDATE and DELETE, and not "%"', operation
          using errcode = '22023', hint = 'Pass TG_OP.';
      end if;
      perform realtime.send(
        pg_catalog.jsonb_build_object('schema', table_schema, 'table', table_name, 'operation', operation,
          'record', new, 'old_record', old),
        event_name, topic_name, true);
    end
  $body$;
  comment on function realtime.broadcast_changes(text, text, text, text, text, record, record, text) is
    'For row triggers: sends what changed to a private topic.';
  revoke all on all functions in schema realtime from public;
  revoke all on function quoin.send_message(uuid, jsonb, bytea, text, text, boolean) from public;
  grant execute on all functions in schema realtime to anon, service_role;
  grant execute on function quoin.send_message(uuid, jsonb, bytea, text, text, boolean) to anon, service_role;
`

// Messages are watched as any table is; who reads the outbox for them is realtime alone.
const CREATE_WANTED = `
  create view quoin.watches as
    select table_id, table_schema, table_name, events from quoin.webhooks
    union all
    select table_id, table_schema, table_name, '{INSERT,UPDATE,DELETE}' from quoin.realtime_watches
    union all
    select 'realtime.messages'::regclass::oid, 'realtime', 'messages', '{INSERT}';
  comment on view quoin.watches is 'Which changes of which tables are recorded, for whomever.';
  revoke all on quoin.watches from public;
  grant select on quoin.watches to quoin_outbox;
  revoke select (table_id, table_schema, table_name) on quoin.webhooks from quoin_outbox;
`

/** The bodies of migrations 0005 and 0006, reading `wants` for who wants what of a table. */
const readingWatches = wants => `
  create or replace function quoin.append_chunk(
      watched oid, event text, keys text[], old_keys text[], rows json[], old_rows json[], errors text[]) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $body$
    declare
      change_count constant int := cardinality(rows);
      known record;
      names text[];
    begin
      if event in ('INSERT', 'UPDATE', 'DELETE') is not true
        or change_count between 1 and 1000 is not true
        or change_count <> any (
          array[cardinality(keys), cardinality(old_keys), cardinality(old_rows), cardinality(errors)])
        or array_position(keys || old_keys, null) is not null
        or pg_column_size(row(rows, old_rows)) > ${160 * 1024 * 1024}
        or pg_column_size(row(keys, old_keys, errors)) > 2000000
      then
        raise exception 'quoin.append_chunk was called with what is no chunk'
          using errcode = '22023',
            hint = 'Only triggers of watched tables need to call it (docs/design/row-changes.md).';
      end if;
      select w.table_schema, w.table_name, (select s.is_resting from quoin.listener_state s) into known
        from (select) one left join ${wants} w on w.table_id = watched limit 1;
      if known.table_name is null and current_setting('transaction_isolation') like 'read %' then
        return;
      end if;
      names := case watched::regclass::text when watched::text then array[known.table_schema, known.table_name]
        else parse_ident(watched::regclass::text) end;
      if names[2] is null then
        return; -- Nobody knows such a table.
      end if;
      insert into quoin.row_events (table_id, table_schema, table_name, event, application_name,
          keys, old_keys, change_count, rows, old_rows, errors)
        values (watched, names[1], names[2], append_chunk.event, current_setting('application_name'),
          append_chunk.keys, append_chunk.old_keys, change_count, append_chunk.rows, append_chunk.old_rows,
          append_chunk.errors);
      if known.is_resting and current_setting('max_prepared_transactions') = '0' then
        perform pg_notify('quoin_row_events', '');
      end if;
    end
  $body$;

  create or replace function quoin.apply_watch(watched oid) returns void
    language sql volatile set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $body$
    select pg_advisory_xact_lock(hashtext('quoin.watch_table'), hashoid(watched));
    select quoin.watch_table(watched,
      array(select distinct unnest(w.events) from ${wants} w where w.table_id = watched));
  $body$;

  create or replace function quoin.watched_tables() returns setof oid
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select w.table_id from ${wants} w
    union select g.tgrelid from pg_trigger g
      where g.tgfoid = 'quoin.record_changes()'::regprocedure and g.tgparentid = 0
  $body$;

  create or replace function quoin.recording_failures(failures_max int) returns table (table_name text, missing text)
    language sql stable set search_path = pg_catalog, pg_temp as $body$
    select wanted.table_id::regclass::text, needed.missing
    from (select distinct w.table_id, unnest(w.events) as event from ${wants} w) wanted
      join pg_class c on c.oid = wanted.table_id
      left join pg_roles recorder on recorder.rolname = 'quoin_outbox'
      cross join lateral (values
        ('the trigger for ' || wanted.event, exists (
          select from pg_trigger g where g.tgrelid = wanted.table_id and g.tgenabled in ('O', 'A')
            and g.tgfoid = to_regproc('quoin.record_changes')
            and g.tgname = format('!quoin_%s_%s', lower(wanted.event), wanted.table_id))),
        ('the right of everybody to call quoin.append_chunk',
          has_function_privilege('public', to_regproc('quoin.append_chunk')::oid, 'execute')),
        ('the right of quoin_outbox to insert into quoin.row_events',
          has_table_privilege(recorder.oid, to_regclass('quoin.row_events'), 'insert'))
      ) needed (missing, is_there)
    where needed.is_there is not true
    order by 1, 2 limit failures_max
  $body$;
`

// Texts of policies fit the search path and the role that they are made under: names are qualified where these would
// find another thing. So the function has no path of its own, and what runs the text does so under the same two.
const CREATE_POLICY_CONDITION = `
  create function quoin.policy_condition(wanted oid, command "char") returns text
    language sql stable as $body$
    select case
      when not pg_catalog.has_schema_privilege(c.relnamespace, 'usage')
        or not pg_catalog.has_any_column_privilege(c.oid, case command when 'r' then 'select' else 'insert' end)
        then 'false'
      when not pg_catalog.row_security_active(c.oid) then 'true'
      else coalesce((
        select '(' || pg_catalog.string_agg(p.condition, ' or ') filter (where p.polpermissive) || ')'
          || coalesce(pg_catalog.string_agg(' and ' || p.condition, '') filter (where not p.polpermissive), '')
        from (
          select p.polpermissive, '(' || pg_catalog.pg_get_expr(
            case command when 'a' then coalesce(p.polwithcheck, p.polqual) else p.polqual end, p.polrelid) || ')'
          from pg_catalog.pg_policy p
          where p.polrelid = c.oid and p.polcmd in (command, '*') and exists (
            select from pg_catalog.unnest(p.polroles) r (oid)
            where case r.oid when 0 then true else pg_catalog.pg_has_role(r.oid, 'usage') end)
        ) p (polpermissive, condition)
        where p.condition is not null), 'false')
    end
    from pg_catalog.pg_class c where c.oid = wanted
  $body$;
  comment on function quoin.policy_condition(oid, "char") is
    'What policies for SELECT (r) or INSERT (a) ask of a row of the table, for the current role, as SQL: true where '
    'none decide; null: there is no such table.';
`

// What a policy's functions set, or write, is taken back with the subtransaction: it reaches no other caller.
const CREATE_PASSING_IMAGES = `
  create function quoin.passing_images(
      wanted oid, caller text, claims text, images json[], command "char", filter text, params text[]) returns json
    language plpgsql as $body$
    declare
      schema constant name := (select n.nspname from pg_catalog.pg_class c
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace where c.oid = wanted);
      relation constant name := (select relname from pg_catalog.pg_class where oid = wanted);
      -- Virtual columns, which no image has, are made of the others.
      virtual text;
      record text := pg_catalog.format('pg_catalog.json_populate_record(null::%I.%I, quoin_images.image)', schema,
        relation);
      condition text;
      passing json;
    begin
      -- As the data API has it: names are looked for in the table's schema first.
      perform pg_catalog.set_config('search_path', pg_catalog.concat_ws(', ', nullif(pg_catalog.quote_ident(schema),
          'public'), pg_catalog.current_setting('search_path')), true),
        pg_catalog.set_config('request.jwt.claims', claims, true), pg_catalog.set_config('role', caller, true);
      condition := coalesce(quoin.policy_condition(wanted, command), 'false');
      -- A filter that looked at hidden rows would tell of them, by failing or by taking long.
      if filter is not null and condition <> 'false' then
        condition := pg_catalog.format('case when %s then (%s) else false end', condition, filter);
      end if;
      passing := case condition when 'true' then '"all"' when 'false' then '[]' end;
      if passing is null then
        virtual := (select pg_catalog.string_agg(
            pg_catalog.format('%L, (%s)', a.attname, pg_catalog.pg_get_expr(d.adbin, d.adrelid)), ', ')
          from pg_catalog.pg_attribute a join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
          where a.attrelid = wanted and a.attgenerated = 'v' and not a.attisdropped);
        if virtual is not null then
          record := pg_catalog.format('pg_catalog.json_populate_record((select pg_catalog.json_populate_record(%1$I.*, '
            'pg_catalog.json_build_object(%2$s)) from %3$s as %1$I), ''{}'')', relation, virtual, record);
        end if;
        execute pg_catalog.format(
          'select coalesce(pg_catalog.json_agg(quoin_images.n - 1 order by quoin_images.n), ''[]''::pg_catalog.json)
            from pg_catalog.unnest($1) with ordinality quoin_images (image, n) cross join lateral (
              select from %s as %I where %s) passing', record, relation, condition)
          into passing using images, params;
      end if;
      raise exception using errcode = 'QN000';
    exception
      when sqlstate 'QN000' then
        return coalesce(passing, '{"code":"QN000","message":"a policy has raised QN000"}');
      when others or assert_failure then
        return pg_catalog.json_build_object('code', sqlstate, 'message', pg_catalog.left(sqlerrm, 500));
    end
  $body$;
  comment on function quoin.passing_images(oid, text, text, json[], "char", text, text[]) is
    'The indexes of the images that meet policies and filter for this caller, all, or the error that came of it.';
`

const CREATE_TABLE_IN_SIGHT = `
  create function quoin.claims_read_by_policies(wanted oid) returns text[]
    language sql stable set search_path = pg_catalog as $body$
    with own as (
      select p.oid, pg_get_expr(p.polqual, p.polrelid) as source from pg_policy p
        join pg_class c on c.oid = p.polrelid and c.relrowsecurity
      where p.polrelid = wanted and p.polcmd in ('r', '*')
    ), goes_on as (
      -- Into other tables with policies of their own, views and functions: any of them may be met.
      select exists (select from own where source ~* '\\mselect\\M' or exists (
        select from pg_depend d where d.classid = 'pg_policy'::regclass and d.objid = own.oid
          and d.refclassid in ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_type'::regclass)
          and (d.refclassid <> 'pg_proc'::regclass or d.refobjid not in (
            'quoin.uid()'::regprocedure, 'quoin.claims()'::regprocedure)))) as it
    ), sources (source) as (
      select source from own
      union all select pg_get_expr(p.polqual, p.polrelid) from pg_policy p where (select it from goes_on)
      union all select coalesce(pg_get_function_sqlbody(f.oid), f.prosrc) from pg_proc f
        join pg_namespace n on n.oid = f.pronamespace join pg_language l on l.oid = f.prolang
        where (select it from goes_on) and l.lanname not in ('internal', 'c')
          and n.nspname not in ('pg_catalog', 'information_schema', 'quoin')
      union all select pg_get_viewdef(v.oid) from pg_class v join pg_namespace n on n.oid = v.relnamespace
        where (select it from goes_on) and v.relkind = 'v' and n.nspname not in ('pg_catalog', 'information_schema')
    )
    select array(
      select distinct word[1] from sources
        cross join lateral regexp_matches(source, '\\m(exp|iat|nbf|jti|auth_time)\\M', 'g') word
      order by 1)
  $body$;
  comment on function quoin.claims_read_by_policies(oid) is
    'Of the claims that change with each token those that the table''s policies may read, by the words in whatever '
    'they may reach.';

  create function quoin.table_in_sight(wanted oid, images json[]) returns json
    language sql stable set search_path = pg_catalog as $body$
    select json_build_object(
      'table_id', c.oid::bigint, 'table_schema', n.nspname, 'table_name', c.relname, 'columns', a.columns,
      'fits', not exists (
        select from (select distinct array(select json_object_keys(i) collate "C" order by 1) as names
          from unnest(images) i) found where found.names <> a.names),
      'primary_key', array(
        select k.attname from pg_index i cross join unnest(i.indkey) with ordinality key (attnum, place)
          join pg_attribute k on k.attrelid = i.indrelid and k.attnum = key.attnum
        where i.indrelid = c.oid and i.indisprimary and key.place <= i.indnkeyatts order by key.place),
      'selectable', json_build_object('anon', a.by_anon, 'service_role', a.by_service_role),
      'claims_read', coalesce(quoin.claims_read_by_policies(c.oid), '{}'))
    from pg_class c join pg_namespace n on n.oid = c.relnamespace cross join lateral (
      select array_agg(attname::text collate "C" order by attname::text collate "C") as names,
        json_agg(json_build_object('name', attname, 'type', t.typname) order by attnum) as columns,
        coalesce(array_agg(attname order by attnum) filter (where has_schema_privilege('anon', n.oid, 'usage')
          and has_column_privilege('anon', c.oid, attnum, 'select')), '{}') as by_anon,
        coalesce(array_agg(attname order by attnum) filter (where has_schema_privilege('service_role', n.oid, 'usage')
          and has_column_privilege('service_role', c.oid, attnum, 'select')), '{}') as by_service_role
      from pg_attribute join pg_type t on t.oid = atttypid
      where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated <> 'v'
    ) a
    where c.oid = wanted and c.relkind in ('r', 'p') and a.names is not null
  $body$;
  comment on function quoin.table_in_sight(oid, json[]) is
    'A table as it is now, and whether these images have its columns; null: there is none.';
`

const CREATE_ROWS_IN_SIGHT = `
  create function quoin.rows_in_sight(question json) returns json
    language plpgsql as $body$
    declare
      asked json;
      part json;
      table_id oid;
      images json[];
      found json;
      classes json[];
      filters json[];
      answer json[] := '{}';
    begin
      for asked in select pg_catalog.json_array_elements(question) loop
        table_id := (asked ->> 'table_id')::bigint::oid;
        begin
          images := array(select image::json from pg_catalog.json_array_elements_text(asked -> 'images') image);
          found := quoin.table_in_sight(table_id, images);
        exception when data_exception then
          -- A json column may hold escapes that nothing here can read: nobody can be shown the rows then.
          images := '{}';
          found := (quoin.table_in_sight(table_id, images)::jsonb || '{"fits": false}')::json;
        end;
        classes := '{}';
        filters := '{}';
        if found is not null then
          for part in select pg_catalog.json_array_elements(asked -> 'classes') loop
            classes := classes
              || quoin.passing_images(table_id, part ->> 'role', part ->> 'claims', images, 'r', null, null);
          end loop;
          for part in select pg_catalog.json_array_elements(asked -> 'filters') loop
            filters := filters || quoin.passing_images(table_id, part ->> 'role', part ->> 'claims', images, 'r',
              part ->> 'sql',
              array(select pg_catalog.json_array_elements_text(part -> 'params')));
          end loop;
        end if;
        answer := answer || pg_catalog.json_build_object('table', found, 'classes', classes, 'filters', filters);
      end loop;
      return pg_catalog.to_json(answer);
    end
  $body$;
  comment on function quoin.rows_in_sight(json) is
    'Which recorded rows of tables callers may see, by the policies of now. docs/design/realtime.md has question and '
    'answer.';

  create function quoin.topic_rights(caller text, claims text, topic_name text) returns json
    language plpgsql as $body$
    declare
      messages constant oid := 'realtime.messages'::regclass;
      images constant json[] := array(
        select pg_catalog.json_build_object('id', pg_catalog.gen_random_uuid(), 'topic', topic_name,
          'extension', extension, 'private', true, 'updated_at', pg_catalog.now(), 'inserted_at', pg_catalog.now())
        from pg_catalog.unnest('{broadcast,presence}'::text[]) extension);
    begin
      perform pg_catalog.set_config('realtime.topic', topic_name, true);
      return pg_catalog.json_build_object(
        'read', quoin.passing_images(messages, caller, claims, images, 'r', null, null),
        'write', quoin.passing_images(messages, caller, claims, images, 'a', null, null));
    end
  $body$;
  comment on function quoin.topic_rights(text, text, text) is
    'What a caller may read and write of a topic: of broadcast (0) and presence (1), or the error of a policy.';

  revoke all on function quoin.policy_condition(oid, "char"), quoin.table_in_sight(oid, json[]),
    quoin.claims_read_by_policies(oid), quoin.passing_images(oid, text, text, json[], "char", text, text[]),
    quoin.rows_in_sight(json), quoin.topic_rights(text, text, text) from public;
  grant execute on function quoin.policy_condition(oid, "char"), quoin.table_in_sight(oid, json[]),
    quoin.claims_read_by_policies(oid), quoin.passing_images(oid, text, text, json[], "char", text, text[]),
    quoin.rows_in_sight(json), quoin.topic_rights(text, text, text) to anon, service_role;
`

exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  for (const sql of [
    REFUSE_ANOTHER,
    CREATE_WATCHES,
    CREATE_MESSAGES,
    CREATE_SENDING,
    CREATE_WANTED,
    readingWatches('quoin.watches'),
    CREATE_POLICY_CONDITION,
    CREATE_PASSING_IMAGES,
    CREATE_TABLE_IN_SIGHT,
    CREATE_ROWS_IN_SIGHT,
  ]) {
    pgm.sql(sql)
  }
  pgm.sql("select quoin.apply_watch('realtime.messages'::regclass)")
}

exports.down = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  pgm.sql(readingWatches('quoin.webhooks'))
  pgm.sql(`
    grant select (table_id, table_schema, table_name) on quoin.webhooks to quoin_outbox;
    drop view quoin.watches;
    drop function quoin.rows_in_sight(json), quoin.topic_rights(text, text, text),
      quoin.passing_images(oid, text, text, json[], "char", text, text[]), quoin.table_in_sight(oid, json[]),
      quoin.claims_read_by_policies(oid), quoin.policy_condition(oid, "char");
    drop schema realtime cascade;
    drop function quoin.send_message(uuid, jsonb, bytea, text, text, boolean);
    select quoin.apply_watch(table_id) from quoin.realtime_watches;
    drop table quoin.realtime_state;
    drop table quoin.realtime_watches;
  `)
}
