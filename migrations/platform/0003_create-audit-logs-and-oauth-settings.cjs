// The audit log, and what Quoin keeps beside the OAuth2 server: the claims configuration, and the dates of signing
// keys, which that server does not know.

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.up = pgm => {
  pgm.sql(`
    create table quoin.audit_logs (
      id uuid primary key default gen_random_uuid(),
      created_at timestamptz not null default clock_timestamp(),
      completed_at timestamptz,
      request_id text not null,
      actor_kind text not null check (actor_kind in ('api_key', 'session', 'anonymous')),
      actor_id text,
      actor_name text,
      address text,
      action text not null,
      target_kind text not null,
      target_id text,
      outcome text not null default 'pending' check (outcome in ('pending', 'succeeded', 'failed')),
      error_code text,
      before jsonb,
      after jsonb,
      check ((outcome = 'pending') = (completed_at is null))
    );
    comment on table quoin.audit_logs is
      'Who changed what. A row is written before its change and completed once afterwards; '
      'one that stays pending is a change whose end nobody saw, and may have the code of the error. '
      'Nothing is ever deleted.';

    create index audit_logs_newest_first on quoin.audit_logs (created_at desc, id desc);
    create index audit_logs_of_actor on quoin.audit_logs (actor_id, created_at desc, id desc);
    create index audit_logs_of_action on quoin.audit_logs (action, created_at desc, id desc);
    create index audit_logs_of_request on quoin.audit_logs (request_id);
    create index audit_logs_of_target on quoin.audit_logs (target_kind, target_id, created_at desc, id desc);

    create function quoin.keep_audit_logs() returns trigger
      language plpgsql set search_path = pg_catalog, pg_temp as $body$
      begin
        -- A pending row may be completed, or first get the code of the error that hid its end.
        if tg_op = 'UPDATE' and old.outcome = 'pending'
          and (new.outcome <> 'pending' or (old.error_code is null and new.after is null))
          and row(new.id, new.created_at, new.request_id, new.actor_kind, new.actor_id, new.actor_name, new.address,
                  new.action, new.target_kind, new.before)
            is not distinct from
              row(old.id, old.created_at, old.request_id, old.actor_kind, old.actor_id, old.actor_name, old.address,
                  old.action, old.target_kind, old.before)
        then
          return new;
        end if;
        raise exception 'audit logs are append-only' using errcode = 'insufficient_privilege';
      end
    $body$;
    revoke all on function quoin.keep_audit_logs() from public;
    create trigger keep_audit_logs before update or delete on quoin.audit_logs
      for each row execute function quoin.keep_audit_logs();
    create trigger keep_all_audit_logs before truncate on quoin.audit_logs
      for each statement execute function quoin.keep_audit_logs();

    create table quoin.claims_config (
      is_the_only_row boolean primary key default true check (is_the_only_row),
      id_token_claims jsonb not null default '{}' check (jsonb_typeof(id_token_claims) = 'object'),
      access_token_claims jsonb not null default '{}' check (jsonb_typeof(access_token_claims) = 'object'),
      updated_at timestamptz not null default now()
    );
    comment on table quoin.claims_config is 'Templates of the claims that the consent bridge puts into tokens.';
    insert into quoin.claims_config default values;

    create table quoin.oauth_signing_keys (
      set_id text not null,
      kid text not null,
      algorithm text not null,
      use text not null,
      created_at timestamptz not null default now(),
      primary key (set_id, kid)
    );
    comment on table quoin.oauth_signing_keys is
      'When a key of the OAuth2 server was made through Quoin; the keys themselves are there alone.';

    revoke all on quoin.audit_logs, quoin.claims_config, quoin.oauth_signing_keys from public;
  `)
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql(`
    drop table quoin.oauth_signing_keys;
    drop table quoin.claims_config;
    drop table quoin.audit_logs;
    drop function quoin.keep_audit_logs();
  `)
}
