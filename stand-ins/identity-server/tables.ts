// The tables of the identity provider, made at every start unless they are there. Times come from the program, so that
// what it answers is what it stored; `seq` orders rows of the same instant.

export const TABLES = `
  create table if not exists identities (
    id uuid primary key,
    schema_id text not null,
    traits jsonb not null,
    state text not null,
    state_changed_at timestamptz not null,
    metadata_public jsonb,
    metadata_admin jsonb,
    external_id text unique,
    organization_id uuid,
    created_at timestamptz not null,
    updated_at timestamptz not null
  );

  create table if not exists credentials (
    identity_id uuid not null references identities on delete cascade,
    type text not null,
    config jsonb not null,
    version int not null default 0,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (identity_id, type)
  );

  create table if not exists credential_identifiers (
    type text not null,
    identifier text not null,
    identity_id uuid not null,
    position int not null,
    primary key (type, identifier),
    foreign key (identity_id, type) references credentials on delete cascade
  );
  create index if not exists credential_identifiers_identity on credential_identifiers (identity_id);

  create table if not exists sessions (
    id uuid primary key,
    seq bigint generated always as identity,
    identity_id uuid not null references identities on delete cascade,
    token_hash bytea not null unique,
    active boolean not null,
    aal text not null,
    authentication_methods jsonb not null,
    devices jsonb not null,
    issued_at timestamptz not null,
    authenticated_at timestamptz not null,
    expires_at timestamptz not null
  );
  create index if not exists sessions_identity on sessions (identity_id, seq);
  create index if not exists sessions_seq on sessions (seq);

  create table if not exists flows (
    id uuid primary key,
    kind text not null,
    body json not null,
    expires_at timestamptz not null
  );
  create index if not exists flows_expiry on flows (expires_at);

  create table if not exists flow_errors (
    id uuid primary key,
    error json not null,
    created_at timestamptz not null
  );
`
