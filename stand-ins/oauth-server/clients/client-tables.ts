// Clients. `fields` is everything of the record that is neither an id, a secret nor a time, by the wire's names; its
// order does not matter, and what is missing there has its default.

export const CLIENT_TABLES = `
  create table if not exists clients (
    id varchar(255) collate "C" primary key,
    fields json not null,
    secret_hash text not null,
    -- Of the token that a client registered by itself is managed with; empty when it can no longer be.
    registration_token_hash text not null default '',
    created_at timestamptz not null,
    updated_at timestamptz not null
  );
  create index if not exists clients_by_owner on clients ((fields->>'owner'), id);
  create index if not exists clients_by_name on clients ((fields->>'client_name'), id);
`
