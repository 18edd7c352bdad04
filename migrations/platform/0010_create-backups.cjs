// The backups that `npm run backup` has made of this database, and which life of the database this is. Only the owner
// sees them. Neither is in a backup: a restored database has made none, and begins a life of its own.

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  pgm.sql(`
    create table quoin.backups (
      id uuid primary key,
      status text not null default 'running' check (status in ('running', 'completed', 'failed')),
      started_at timestamptz not null default clock_timestamp(),
      finished_at timestamptz,
      size_bytes bigint check (size_bytes >= 0),
      location text not null,
      lsn pg_lsn,
      verified_at timestamptz,
      error text,
      check ((status = 'running') = (finished_at is null)),
      check (status <> 'completed' or (size_bytes is not null and error is null)),
      check (verified_at is null or status = 'completed')
    );
    comment on table quoin.backups is
      'Whoever writes a backup holds a SHARE UPDATE EXCLUSIVE lock on this table: a row that is running without one '
      'was cut off.';
    comment on column quoin.backups.lsn is 'The place in the WAL up to which the backup has everything.';
    comment on column quoin.backups.verified_at is 'When it was last restored for a trial and found equal.';
    create index backups_newest_first on quoin.backups (started_at desc, id desc);

    create table quoin.database_epoch (
      is_the_only_row boolean primary key default true check (is_the_only_row),
      epoch uuid not null default gen_random_uuid(),
      began_at timestamptz not null default now()
    );
    comment on table quoin.database_epoch is
      'Which life of the database this is: a restore begins another. Places in the WAL of two lives cannot be '
      'compared.';
    insert into quoin.database_epoch default values;

    revoke all on quoin.backups, quoin.database_epoch from public;
  `)
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql('drop table quoin.database_epoch; drop table quoin.backups;')
}
