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

  -- Hydra's own tables of tokens, as programs know them that clean up after it.
  create or replace view hydra_oauth2_access as
    select value_hash as signature, client_id, grant_id as request_id, payload ->> 'accountId' as subject,
      payload ->> 'scope' as granted_scope, expires_at at time zone 'utc' as expires_at, consumed_at is null as active
    from provider_entries where kind in ('AccessToken', 'ClientCredentials');
  create or replace view hydra_oauth2_refresh as
    select value_hash as signature, client_id, grant_id as request_id, payload ->> 'accountId' as subject,
      payload ->> 'scope' as granted_scope, expires_at at time zone 'utc' as expires_at, consumed_at is null as active
    from provider_entries where kind = 'RefreshToken';

  -- At each start: what nobody can use any more. Ended tokens stay until somebody flushes them.
  delete from provider_entries
    where expires_at < now() - interval '1 hour' and kind not in ('AccessToken', 'ClientCredentials', 'RefreshToken');
`
