// The tables in which migration tools keep their books, and whose they are. Pure. Labels and order are the
// specification's. It names some tables by other names than the tools use, so both are known.

/** The columns of a table, each with its type as format_type prints it. */
export type Columns = Readonly<Record<string, string>>

export interface KnownTable {
  readonly framework: string
  readonly schema: string
  readonly table: string
  /** Where another tool has a table of this name: whether these columns are this one's. */
  readonly isOwn?: (columns: Columns) => boolean
}

/** Where a run of ours keeps its books, as node-pg-migrate does. */
export const OWN_TABLE: KnownTable = {
  framework: "JavaScript migration library (the service's own)",
  schema: 'public',
  table: 'pgmigrations',
}

/** golang-migrate has `dirty`; dbmate has a length that Rails gives to no version. Older ones of dbmate have 255. */
const isOfGo = (columns: Columns) => 'dirty' in columns || columns['version'] === 'character varying(128)'

/** Laravel has `migration` and `batch` instead. */
const isOfTypeOrm = (columns: Columns) => 'timestamp' in columns && 'name' in columns && !('batch' in columns)

/** A table that two frameworks have is the first one's whose columns it has. */
export const KNOWN_TABLES: readonly KnownTable[] = [
  OWN_TABLE,
  ...tablesOf('Go migration tools', ['schema_migrations'], isOfGo),
  ...tablesOf('Go migration tools', ['goose_db_version']),
  ...tablesOf('JavaScript ORM with migration table', ['_migrations', '_prisma_migrations']),
  ...tablesOf('JavaScript query builder', ['querybuilder_migrations', 'knex_migrations']),
  ...tablesOf('JavaScript ORM with its own schema', [
    'orm2.__orm2_migrations',
    'drizzle.__drizzle_migrations',
  ]),
  ...tablesOf('Rust SQL toolkit', ['_rustsql_migrations', '_sqlx_migrations']),
  ...tablesOf('Python migration tool', ['pymigrate_version', 'alembic_version']),
  ...tablesOf('Python web framework', ['pyweb_migrations', 'django_migrations']),
  ...tablesOf('Ruby web framework', ['schema_migrations']),
  ...tablesOf('TypeScript ORM', ['orm3_metadata', 'typeorm_metadata']),
  ...tablesOf('TypeScript ORM', ['migrations'], isOfTypeOrm),
  ...tablesOf('PHP web framework', ['migrations']),
  ...tablesOf('JavaScript ORM (second)', ['orm4_meta', 'SequelizeMeta']),
  ...tablesOf('Java migration tool', ['javamigrate_schema_history', 'flyway_schema_history']),
]

/** In schema `public` where none is said. */
function tablesOf(
  framework: string,
  names: readonly string[],
  isOwn?: (columns: Columns) => boolean,
): KnownTable[] {
  return names.map(name => {
    const [table = '', schema = 'public'] = name.split('.').reverse()
    return { framework, schema, table, ...(isOwn && { isOwn }) }
  })
}
