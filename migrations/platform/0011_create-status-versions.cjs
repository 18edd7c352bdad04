// A version of each project's status, so that a pause is a change of one row however many keys the project has.

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.up = pgm => {
  pgm.sql('set local search_path = pg_catalog, pg_temp')
  pgm.sql(`
    alter table quoin.projects
      add column status_version bigint not null default 0 check (status_version >= 0);
    comment on column quoin.projects.status_version is
      'Grows with each change of the status. With a key''s own version it says which of two readings is newer.';
  `)
}

/** @param {import('node-pg-migrate').MigrationBuilder} pgm */
exports.down = pgm => {
  // The versions of keys alone must not be lower than what limiters have read.
  pgm.sql(`
    update quoin.api_keys k set version = k.version + p.status_version from quoin.projects p where p.id = k.project_id;
    alter table quoin.projects drop column status_version;
  `)
}
