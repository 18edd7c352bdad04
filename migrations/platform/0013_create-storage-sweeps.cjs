// The sweep of files: how far it has walked, what it has found, and whose blobs are not this database's to delete. Only
// the owner sees them. The two indexes have rows and notes in the order in which the store lists its blobs: by the
// bytes of `bucket_id/version`.

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  pgm.sql(`
    create table quoin.storage_sweeps (
      is_the_only_row boolean primary key default true check (is_the_only_row),
      version bigint not null default 0,
      running_until timestamptz not null default '-infinity',
      position text,
      pass jsonb not null default '{}',
      completed jsonb,
      completed_at timestamptz,
      orphan_budget bigint check (orphan_budget >= 0),
      halted_at timestamptz,
      halt_reason text,
      check ((completed is null) = (completed_at is null)),
      check ((halted_at is null) = (halt_reason is null))
    );
    comment on column quoin.storage_sweeps.version is 'Who took the row last: a run that finds another has lost it.';
    comment on column quoin.storage_sweeps.position is 'The key behind which the pass goes on; null: it begins.';
    comment on column quoin.storage_sweeps.orphan_budget is
      'Blobs without any record that this pass may still delete; null: it only counts them.';
    comment on column quoin.storage_sweeps.halted_at is 'Since when nothing is deleted: see resume_storage_sweep.';
    insert into quoin.storage_sweeps default values;

    create table quoin.former_databases (
      epoch uuid primary key,
      gone_at timestamptz
    );
    comment on table quoin.former_databases is
      'Databases that this one was made of. Blobs that they have written are theirs, until an operator says by gone_at '
      'that none of them is at work any more.';

    create function quoin.resume_storage_sweep(orphans bigint) returns void
      language sql set search_path = pg_catalog, pg_temp as $function$
        update quoin.storage_sweeps
          set version = version + 1, running_until = '-infinity', position = null, pass = '{}',
            orphan_budget = orphans, halted_at = null, halt_reason = null
      $function$;
    comment on function quoin.resume_storage_sweep(bigint) is
      'Lets the sweep delete again. Its next pass may delete so many blobs without any record.';

    create index objects_by_key on storage.objects ((bucket_id || '/' || version) collate "C")
      where version is not null;
    create index lost_versions_by_key on quoin.lost_versions ((bucket_id || '/' || version) collate "C");

    revoke all on quoin.storage_sweeps, quoin.former_databases from public;
    revoke all on function quoin.resume_storage_sweep(bigint) from public;
  `)
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql(`
    drop index storage.objects_by_key;
    drop index quoin.lost_versions_by_key;
    drop function quoin.resume_storage_sweep(bigint);
    drop table quoin.storage_sweeps, quoin.former_databases;
  `)
}
