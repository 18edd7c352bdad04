// Codes and tokens, found by the hash of their value: what stands here opens nothing. Those of a consent go with it,
// those of a client with the client.

export const TOKEN_TABLES = `
  create table if not exists tokens (
    -- code, access, refresh or device; or assertion, by which a client proved itself and must not do so again.
    kind text not null,
    value_hash text not null,
    client_id text not null references clients on delete cascade,
    -- Null for a client's own token, and for a device that still waits.
    consent_request_id text references consents on delete cascade,
    subject text,
    scope text[] not null default '{}',
    audience text[] not null default '{}',
    redirect_uri text,
    code_challenge text,
    user_code_hash text unique,
    issued_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz,
    primary key (kind, value_hash)
  );
  create index if not exists tokens_by_consent on tokens (consent_request_id, kind);
  create index if not exists tokens_by_expiry on tokens (expires_at);

  -- Hydra's own tables of tokens, as programs know them that clean up after it.
  create or replace view hydra_oauth2_access as
    select value_hash as signature, client_id, consent_request_id as request_id, subject,
      array_to_string(scope, ' ') as granted_scope, expires_at at time zone 'utc' as expires_at,
      used_at is null as active
    from tokens where kind = 'access';
  create or replace view hydra_oauth2_refresh as
    select value_hash as signature, client_id, consent_request_id as request_id, subject,
      array_to_string(scope, ' ') as granted_scope, expires_at at time zone 'utc' as expires_at,
      used_at is null as active
    from tokens where kind = 'refresh';

  -- At each start: what nobody can use any more. Ended tokens stay until somebody flushes them.
  delete from tokens where expires_at < now() - interval '1 hour' and kind not in ('access', 'refresh');
`
