// A table in which everybody sees and writes their own rows alone.

exports.up = pgm => {
  pgm.sql(`
    create table notes (
      id bigint generated always as identity primary key,
      owner_id text not null default quoin.uid(),
      body text not null
    );
    alter table notes enable row level security;
    grant select, insert on notes to anon;
    create policy own_notes on notes to anon
      using (owner_id = (select quoin.uid())) with check (owner_id = (select quoin.uid()));
  `)
}

exports.down = pgm => {
  pgm.dropTable('notes')
}
