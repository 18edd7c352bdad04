// The one table of the permission server. Can be run again and again.
//
// Objects and subjects may be of any length, so indexes hold hashes of them. A set (namespace, object, relation) and a
// subject that is this set have the same key: one index leads from a subject set to its members. Ids are random, so
// that nobody relies on an order. The same tuple may stand here twice, as with Keto.

export const TABLES = `
create table if not exists relation_tuples (
  id uuid primary key default gen_random_uuid(),
  namespace text not null,
  object text not null,
  relation varchar(64) not null,
  subject_id text,
  subject_set_namespace text,
  subject_set_object text,
  subject_set_relation varchar(64),
  set_key uuid not null,
  object_key uuid not null,
  subject_key uuid not null
);
create index if not exists relation_tuples_members on relation_tuples (set_key, subject_key);
create index if not exists relation_tuples_subject_sets on relation_tuples (set_key, id) where subject_id is null;
create index if not exists relation_tuples_of_subject on relation_tuples (subject_key, id);
create index if not exists relation_tuples_of_object on relation_tuples (object_key, id);
create index if not exists relation_tuples_of_relation on relation_tuples (namespace, relation, id);
`
