// Attacks of one statement on the rights of the owner, each of which Postgres must refuse to `service_role` for want of
// rights. roles.test.ts runs them, in a database that has the tables and functions named here.

export const OWNER = 'quoin_owner'

/** The statements by what they are after; `database` is the one that they run in. */
export function refusedStatements(database: string): Readonly<Record<string, string>> {
  return {
    // Becoming somebody else.
    'SET ROLE to the owner': `set role ${OWNER}`,
    'SET SESSION AUTHORIZATION to the owner': `set session authorization ${OWNER}`,
    'SET SESSION AUTHORIZATION to anon': 'set session authorization anon',
    "changing the owner's password": `alter role ${OWNER} password 'known'`,
    'making itself stronger': 'alter role service_role createrole',
    'making a role': 'create role helper',
    'granting itself the owner': `grant ${OWNER} to service_role`,
    'granting itself a predefined role': 'grant pg_read_server_files to service_role',
    "changing the owner's defaults": `alter default privileges for role ${OWNER} grant all on tables to service_role`,
    "taking over the owner's objects": `reassign owned by ${OWNER} to service_role`,
    "dropping the owner's objects": `drop owned by ${OWNER}`,
    // Reading what is not the caller's.
    'reading the hashes of keys': 'select key_hash from quoin.api_keys',
    'reading projects': 'select * from quoin.projects',
    'locking the table of keys': 'do $$ begin lock table quoin.api_keys in access share mode; end $$',
    'copying the table of keys': 'copy quoin.api_keys to stdout',
    'a view on keys': 'create view public.peek as select * from quoin.api_keys; select * from public.peek',
    'a foreign key that would tell which key exists':
      'create table public.probe (id uuid references quoin.api_keys (id))',
    'reading which migrations ran': 'select * from public.pgmigrations',
    'pretending that a migration ran':
      "insert into public.pgmigrations (name, run_on) values ('0099_x', now())",
    'taking a number of the migrations': "select nextval('public.pgmigrations_id_seq')",
    "reading which of Quoin's own migrations ran": 'select * from quoin.platform_migrations',
    "pretending that one of Quoin's own migrations ran":
      "insert into quoin.platform_migrations (name, run_on) values ('0099_x', now())",
    "taking a number of Quoin's own migrations": "select nextval('quoin.platform_migrations_id_seq')",
    'reading password hashes': 'select * from pg_authid',
    'reading all large objects': 'select * from pg_largeobject',
    'reading statistics of other tables': 'select * from pg_statistic',
    // Code that the owner would run.
    "a trigger on the owner's table":
      'create trigger trap before insert on public.owned for each row execute function public.trap()',
    "a constraint trigger on the owner's table":
      'create constraint trigger trap after insert on public.owned for each row execute function public.trap()',
    "a rule on the owner's table": 'create rule trap as on insert to public.owned do also select 1',
    "a policy on the owner's table": 'create policy trap on public.owned using (public.trap_condition())',
    "a check on the owner's table": 'alter table public.owned add check (public.trap_condition())',
    "a default on the owner's table": "alter table public.owned alter note set default 'x'",
    "an index on the owner's table": 'create index on public.owned (upper(note))',
    "statistics on the owner's table": 'create statistics public.trap on id, note from public.owned',
    "a child of the owner's table": 'create table public.child () inherits (public.owned)',
    "a partition of the owner's table": 'create table public.part partition of public.parted default',
    "a foreign key to the owner's table": 'create table public.ref (id bigint references public.owned)',
    "emptying the owner's table": 'truncate public.owned',
    "switching off the owner's policies": 'alter table public.owned disable row level security',
    "dropping the owner's table": 'drop table public.owned',
    "renaming the owner's table": 'alter table public.owned rename to other',
    "replacing the owner's function":
      'create or replace function public.owned_function() returns int return 2',
    'replacing a helper of policies': "create or replace function quoin.uid() returns text return 'alice'",
    'anything in the schema quoin': 'create table quoin.trap ()',
    'anything in pg_catalog': 'create function pg_catalog.trap() returns int return 1',
    'a schema': 'create schema trap',
    "a cast between Postgres' own types": 'create cast (text as json) without function',
    'an operator class': 'create operator class public.trap default for type int using btree as operator 1 <',
    'an event trigger': 'create event trigger trap on ddl_command_end execute function public.trap_event()',
    'a publication of all tables': 'create publication trap for all tables',
    'a subscription':
      "create subscription trap connection 'host=127.0.0.1' publication p with (connect = false)",
    'a function in C': "create function public.trap_c() returns int language c as 'libc', 'system'",
    "a function of Postgres' insides":
      "create function public.trap_i() returns int language internal as 'pg_backend_pid'",
    'a procedural language': 'create language plperlu',
    'an extension': 'create extension pgcrypto',
    'a connection back as the owner (dblink)': 'create extension dblink',
    'a connection back as the owner (postgres_fdw)': 'create extension postgres_fdw',
    'a foreign-data wrapper': 'create foreign data wrapper trap',
    'switching triggers off': "set session_replication_role = 'replica'",
    // The machine below.
    'running a program': "copy (select 1) to program 'id'",
    'reading a program': "create temp table t (a text); copy t from program 'id'",
    'writing a file': "copy (select 1) to '/tmp/quoin-trap'",
    'reading a file with COPY': "create temp table f (a text); copy f from '/etc/passwd'",
    'reading a file': "select pg_read_file('/etc/passwd')",
    'reading a binary file': "select pg_read_binary_file('/etc/passwd')",
    'listing a folder': "select pg_ls_dir('/')",
    'listing the log': 'select pg_ls_logdir()',
    'a large object from a file': "select lo_import('/etc/passwd')",
    'a large object to a file': "select lo_export(lo_from_bytea(0, 'x'), '/tmp/quoin-trap')",
    'loading a library': "load '/tmp/trap.so'",
    'settings of the server': "alter system set log_statement = 'all'",
    'settings of the database': `alter database ${database} set search_path = public`,
    'settings of the owner': `alter role ${OWNER} set search_path = public`,
    'settings that log': "set log_statement = 'none'",
    'libraries to load at the next connection':
      "alter role service_role set session_preload_libraries = '/tmp/trap'",
    'reloading the configuration': 'select pg_reload_conf()',
    'a replication slot': "select pg_create_physical_replication_slot('trap')",
    'a logical replication slot': "select pg_create_logical_replication_slot('trap', 'pgoutput')",
    'reading changes of a slot': "select pg_logical_slot_get_changes('trap', null, null)",
    'a backup': "select pg_backup_start('trap')",
    'a database': 'create database trap',
    'a tablespace': "create tablespace trap location '/tmp'",
    'statistics of all': 'select pg_stat_reset()',
    'the control file': 'select pg_current_logfile()',
  }
}
