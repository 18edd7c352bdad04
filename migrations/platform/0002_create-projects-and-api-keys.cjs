// Projects and their API keys. Only the owner sees them: the keys' hashes are nobody else's affair.

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.up = pgm => {
  pgm.sql(`
    create table quoin.projects (
      id uuid primary key default gen_random_uuid(),
      name text not null check (name <> '' and length(name) <= 100),
      status text not null default 'active' check (status in ('active', 'paused')),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    comment on table quoin.projects is
      'Groups of API keys, their usage and their limits. One deployment has one database.';
    insert into quoin.projects (name) values ('default');

    create table quoin.api_keys (
      id uuid primary key default gen_random_uuid(),
      project_id uuid not null references quoin.projects (id),
      name text not null check (name <> '' and length(name) <= 100),
      role text not null check (role in ('anon', 'service_role')),
      prefix text not null check (prefix = case role when 'anon' then 'svc_pk_' else 'svc_sk_' end),
      last_four text not null check (length(last_four) = 4),
      key_hash text not null unique check (key_hash ~ '^[0-9a-f]{64}$'),
      previous_key_hash text check (previous_key_hash ~ '^[0-9a-f]{64}$'),
      previous_expires_at timestamptz,
      rate_limit_per_minute integer check (rate_limit_per_minute between 1 and 100000000),
      rate_limit_per_address integer check (rate_limit_per_address between 1 and 100000000),
      version bigint not null default 1 check (version > 0),
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      last_used_at timestamptz,
      revoked_at timestamptz,
      check (previous_key_hash <> key_hash),
      check (previous_expires_at is null or previous_key_hash is not null)
    );
    comment on table quoin.api_keys is
      'API keys by SHA-256. Rows stay when a key is revoked, so that lists and logs can name it.';
    comment on column quoin.api_keys.version is
      'Grows with every change of who the key is or what it may do; '
      'limiters keep the highest they have seen.';

    create unique index api_keys_previous_key_hash on quoin.api_keys (previous_key_hash)
      where previous_key_hash is not null;
    create index api_keys_newest_first on quoin.api_keys (created_at desc, id desc);
    create index api_keys_of_project on quoin.api_keys (project_id, created_at desc, id desc);

    revoke all on quoin.projects, quoin.api_keys from public;
  `)
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql('drop table quoin.api_keys; drop table quoin.projects;')
}
