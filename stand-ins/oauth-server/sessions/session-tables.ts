// Login sessions, consents and logout requests.

export const SESSION_TABLES = `
  create table if not exists login_sessions (
    id text primary key,
    subject text not null,
    authenticated_at timestamptz not null,
    remember boolean not null,
    expires_at timestamptz not null
  );
  create index if not exists login_sessions_by_subject on login_sessions (subject);

  -- Names that a login gave to a subject instead of the computed one of a pairwise client.
  create table if not exists forced_subjects (
    client_id text not null references clients on delete cascade,
    subject text not null,
    name text not null,
    primary key (client_id, subject)
  );

  -- step and accepted are the types of the same names in flow/flow-state.ts; the client is left out of the step.
  create table if not exists consents (
    consent_request_id text collate "C" primary key,
    client_id text not null references clients on delete cascade,
    subject text not null,
    client_subject text not null,
    -- Null once that session has ended; the step still knows which it was.
    login_session_id text references login_sessions on delete set null,
    nonce text not null,
    skip boolean not null,
    remember boolean not null,
    requested_at timestamptz not null,
    issued_at timestamptz not null,
    expires_at timestamptz,
    step jsonb not null,
    accepted jsonb not null
  );
  create index if not exists consents_by_subject on consents (subject, client_id);

  create table if not exists logout_requests (
    challenge text primary key,
    verifier text not null unique,
    subject text not null,
    session_id text not null,
    request_url text not null,
    -- Null when nobody but the browser asks.
    client_id text references clients on delete cascade,
    redirect_to text not null,
    verdict text not null default 'asked' check (verdict in ('asked', 'accepted', 'rejected')),
    was_used boolean not null default false,
    requested_at timestamptz not null,
    expires_at timestamptz not null
  );

  -- At each start: what nobody can use any more.
  delete from login_sessions where expires_at < now();
  delete from logout_requests where expires_at < now() - interval '1 hour';
`
