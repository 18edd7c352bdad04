// Key sets. A key is stored as its JWK, encrypted: public parts alone would not be worth the second column.

export const KEY_TABLES = `
  create table if not exists keys (
    -- Tells apart keys that were made in the same instant: the greatest is the newest.
    position bigint generated always as identity primary key,
    set_id varchar(255) not null,
    kid varchar(255) not null,
    encrypted_jwk text not null,
    created_at timestamptz not null,
    unique (set_id, kid)
  );
`
