// How often each key called, by the minute and in all; and the plan of a project, against which that is shown.

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  pgm.sql(`
    create table quoin.usage (
      hour timestamptz not null,
      key_id uuid not null references quoin.api_keys (id) on delete cascade,
      key_hash text not null check (key_hash ~ '^[0-9a-f]{64}$'),
      requests integer[] not null check (array_length(requests, 1) = 60),
      total bigint not null,
      primary key (hour, key_id, key_hash)
    );
    comment on table quoin.usage is
      'Requests that limiters have let in, a number for each minute of the hour, and their sum. A key that was '
      'rotated has a row for each of its hashes: each has a limiter of its own, which alone writes the row.';

    create table quoin.usage_totals (
      key_id uuid not null references quoin.api_keys (id) on delete cascade,
      key_hash text not null check (key_hash ~ '^[0-9a-f]{64}$'),
      total bigint not null,
      primary key (key_id, key_hash)
    );
    comment on table quoin.usage_totals is
      'All requests of a key since it exists, by its hashes: what counters show, at no sum over years.';

    create table quoin.plans (
      id text primary key check (id ~ '^[a-z0-9-]{1,50}$'),
      name text not null check (name <> '' and length(name) <= 100),
      requests_per_month bigint check (requests_per_month > 0),
      database_bytes bigint check (database_bytes > 0),
      storage_bytes bigint check (storage_bytes > 0)
    );
    comment on table quoin.plans is
      'What a project is meant to use at most; null: no quota. Quotas are shown and not enforced.';
    insert into quoin.plans (id, name) values ('self-hosted', 'Self-hosted');

    alter table quoin.projects add plan text not null default 'self-hosted' references quoin.plans (id);

    revoke all on quoin.usage, quoin.usage_totals, quoin.plans from public;

    create index webhook_deliveries_of_request on quoin.webhook_deliveries (request_id) where request_id is not null;
    create index webhook_deliveries_in_time on quoin.webhook_deliveries (created_at desc, id desc);
    drop index quoin.webhook_deliveries_oldest;
  `)
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql(`
    create index webhook_deliveries_oldest on quoin.webhook_deliveries (created_at);
    drop index quoin.webhook_deliveries_in_time, quoin.webhook_deliveries_of_request;
    alter table quoin.projects drop plan;
    drop table quoin.plans, quoin.usage_totals, quoin.usage;
  `)
}
