// What the content of a user's migration was when it was applied. Beside `public.pgmigrations`, which keeps the shape
// that node-pg-migrate's command line gives it.

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  pgm.sql(`
    create table quoin.migration_hashes (
      migration_id integer primary key,
      name text not null,
      hash text not null,
      recorded_at timestamptz not null default now()
    );
    comment on table quoin.migration_hashes is
      'SHA-256 of an applied migration''s file. A row counts while public.pgmigrations has that id with that name.';
    revoke all on quoin.migration_hashes from public;
  `)
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql('drop table quoin.migration_hashes')
}
