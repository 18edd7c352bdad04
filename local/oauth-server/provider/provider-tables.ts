// What oidc-provider keeps (provider-adapter.ts). An entry is found by the hash of its value: what stands here opens
// nothing. Entries of a grant hang on its consent, those of a client on the client, and go with them.

export const PROVIDER_TABLES = `
  create table if not exists provider_entries (
    kind text not null,
    value_hash text not null,
    client_id text references clients on delete cascade,
    grant_id text references consents on delete cascade,
    user_code_hash text unique,
    payload jsonb not null,
    consumed_at timestamptz,
    expires_at timestamptz,
    primary key (kind, value_hash)
  );
  create index if not exists provider_entries_by_grant on provider_entries (grant_id, kind);
  create index if not exists provider_entries_by_expiry on provider_entries (expires_at);
`
