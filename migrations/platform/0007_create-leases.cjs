// Leases: who may make a kind of change just now, where the change is made by another server and no transaction of
// ours reaches.

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  pgm.sql(`
    create table quoin.leases (
      name text primary key,
      holder uuid not null,
      ends_at timestamptz not null
    );
    comment on table quoin.leases is
      'Who may make changes of this name until ends_at. A row that has ended is taken over by the next.';
    revoke all on quoin.leases from public;
  `)
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  pgm.sql('drop table quoin.leases')
}
