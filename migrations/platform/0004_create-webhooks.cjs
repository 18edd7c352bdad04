// Webhooks, what became of their deliveries, and what was given up. The outbox that row changes wait in is made by
// 0005, the triggers that fill it by 0006.

const CREATE_WEBHOOKS = `
  create table quoin.webhooks (
    id uuid primary key default gen_random_uuid(),
    name text not null check (name <> '' and length(name) <= 100),
    table_schema text not null,
    table_name text not null,
    table_id oid not null,
    former_table_ids oid[] not null default '{}',
    events text[] not null
      check (cardinality(events) between 1 and 3 and events <@ array['INSERT', 'UPDATE', 'DELETE']),
    url text not null,
    headers_encrypted jsonb not null default '{}' check (jsonb_typeof(headers_encrypted) = 'object'),
    secret_encrypted text,
    active boolean not null default true,
    fail_count integer not null default 0 check (fail_count >= 0),
    state text not null default 'healthy' check (state in ('healthy', 'failing', 'paused_by_receiver')),
    version bigint not null default 1 check (version > 0),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  comment on table quoin.webhooks is
    'Who is told of which table''s changes. The table is known by its oid, so that a rename is followed; names are '
    'put right every minute, and find the table that is made anew after a drop.';
  comment on column quoin.webhooks.former_table_ids is
    'Tables that are gone, while changes of theirs are in the outbox: these are still for this webhook.';
  comment on column quoin.webhooks.headers_encrypted is 'Names in clear, each value sealed under its own.';
  comment on column quoin.webhooks.version is
    'Grows with every change of what is sent where; whoever keeps a copy keeps the highest it has seen.';
  create index webhooks_newest_first on quoin.webhooks (created_at desc, id desc);
  create index webhooks_of_table on quoin.webhooks (table_id);

  create table quoin.webhook_registry (
    is_the_only_row boolean primary key default true check (is_the_only_row),
    version bigint not null default 1
  );
  revoke all on quoin.webhooks, quoin.webhook_registry from public;
  comment on table quoin.webhook_registry is
    'Grows with every change of quoin.webhooks, health aside, in the same transaction.';
  insert into quoin.webhook_registry default values;

  create function quoin.raise_webhook_registry() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $body$
    begin
      update quoin.webhook_registry set version = version + 1;
      return null;
    end
  $body$;
  revoke all on function quoin.raise_webhook_registry() from public;
  create trigger raise_webhook_registry
    after insert or delete or truncate
      or update of name, table_schema, table_name, table_id, events, url, headers_encrypted, secret_encrypted,
        active
    on quoin.webhooks for each statement execute function quoin.raise_webhook_registry();
`

// No foreign key to the webhook: logs arrive in batches after the fact, and one of a webhook that was deleted meanwhile
// must not lose the others.
const CREATE_DELIVERIES = `
  create table quoin.webhook_deliveries (
    id uuid primary key default gen_random_uuid(),
    webhook_id uuid not null,
    event_id text,
    webhook_message_id text not null,
    event_type text not null check (event_type in ('INSERT', 'UPDATE', 'DELETE', 'TEST')),
    payload text not null,
    status_code integer,
    response_body text,
    error text,
    latency_ms integer not null check (latency_ms >= 0),
    attempt integer not null default 1 check (attempt > 0),
    replay_of uuid,
    request_id text,
    payload_error text,
    created_at timestamptz not null default clock_timestamp()
  );
  comment on table quoin.webhook_deliveries is
    'One row an attempt, kept 30 days. The payload is the body as it was sent, byte for byte.';
  create index webhook_deliveries_newest_first on quoin.webhook_deliveries (webhook_id, created_at desc, id desc);
  create index webhook_deliveries_failed on quoin.webhook_deliveries (webhook_id, created_at desc, id desc)
    where error is not null;
  create index webhook_deliveries_oldest on quoin.webhook_deliveries (created_at);

  create table quoin.dead_letters (
    id uuid primary key default gen_random_uuid(),
    webhook_id uuid,
    event_id text,
    reason text not null,
    payload text,
    request_id text,
    payload_error text,
    created_at timestamptz not null default clock_timestamp(),
    resolved_at timestamptz
  );
  comment on table quoin.dead_letters is
    'What was given up, and why. Without a webhook: a queue message that no consumer could handle.';
  comment on column quoin.dead_letters.payload is 'The whole body or nothing.';
  create index dead_letters_newest_first on quoin.dead_letters (created_at desc, id desc);
  create index dead_letters_of_webhook on quoin.dead_letters (webhook_id, created_at desc, id desc);
  create index dead_letters_unresolved on quoin.dead_letters (webhook_id, created_at, id) where resolved_at is null;

  create table quoin.dead_letter_parts (
    dead_letter_id uuid not null references quoin.dead_letters on delete cascade,
    number integer not null,
    text text not null,
    primary key (dead_letter_id, number)
  );
  comment on table quoin.dead_letter_parts is
    'What has arrived of a body that is too large for one statement, until all of it has.';
  revoke all on quoin.webhook_deliveries, quoin.dead_letters, quoin.dead_letter_parts from public;
`

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  for (const sql of [CREATE_WEBHOOKS, CREATE_DELIVERIES]) pgm.sql(sql)
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql(`
    drop table quoin.dead_letter_parts;
    drop table quoin.dead_letters;
    drop table quoin.webhook_deliveries;
    drop table quoin.webhook_registry;
    drop table quoin.webhooks;
    drop function quoin.raise_webhook_registry();
  `)
}
