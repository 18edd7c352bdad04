# What of a dump of Supabase is for Quoin's database, for `sed -E -f` (docs/adopt.md): of pg_dump, or of `supabase db
# dump`. Leaves out owners, extensions and the rights of Supabase's own roles, and gives callers what they need of the
# rights that Supabase gives them: not TRIGGER, REFERENCES, MAINTAIN and TRUNCATE on tables, nor CREATE on schemas.

# Rows stay as they are.
/^COPY .* FROM stdin;$/,/^\\\.$/b

# Only a superuser may; a dump that has schema and rows needs it not.
/^SET (SESSION )?session_replication_role/d
/^\\(un)?restrict /d

/^(CREATE|COMMENT ON|ALTER) SCHEMA (IF NOT EXISTS )?"?(public|extensions)"?( |;)/d
/^(CREATE|COMMENT ON|ALTER) EXTENSION /d
/^(CREATE|COMMENT ON) PUBLICATION "?supabase_/d
/^ALTER .* OWNER TO .*;$/d
/^ALTER DEFAULT PRIVILEGES /d
/^(GRANT|REVOKE) .* (TO|FROM) "?(postgres|dashboard_user|pgbouncer|supabase_([b-z][a-z_]*|admin))"?( WITH GRANT OPTION)?;$/d

s/^GRANT ALL ON TABLE (.*) TO "?(anon|authenticated|service_role)"?;$/GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE \1 TO \2;/
s/^GRANT ALL ON SCHEMA (.*) TO "?(anon|authenticated|service_role)"?;$/GRANT USAGE ON SCHEMA \1 TO \2;/
