// The lines by which migration tools mark the parts of a .sql file. Pure data. Each row follows its tool's own reader,
// and a line is what the first row that fits says.

export type Meaning =
  /** What stands behind it is applied. */
  | 'up'
  /** What stands behind it takes the migration back. */
  | 'down'
  /** The file asks for no transaction around it. */
  | 'no_transaction'
  /** It says nothing that a run needs to know. */
  | 'nothing'
  /** It asks for what Quoin does not do, or is misspelt: the file is refused. */
  | 'refused'
  /** A heading as of a part that takes back, of no known tool: refused where statements stand behind it. */
  | 'heading'

export interface MarkRow {
  readonly tool: string
  readonly line: RegExp
  readonly means: Meaning
  /** Of `up` and `down`: the part runs outside of a transaction. */
  readonly isAlone?: true
  /** It counts as the first line of the file alone. */
  readonly isFirstLine?: true
}

/** The tool whose marks are as loose as a comment: another tool's marks go before them. */
export const LOOSE_TOOL = 'node-pg-migrate'

/** Tools without a mark for what is applied, which is all before the mark for taking back. */
export const WITHOUT_UP_MARK: readonly string[] = [LOOSE_TOOL, 'tern', 'MyBatis']

/** Tools that take several parts of each kind. */
export const WITH_REPEATED_PARTS: readonly string[] = ['dbmate', 'sql-migrate', 'Rambler', 'Play']

const row = (tool: string, means: Meaning, line: RegExp, more: Partial<MarkRow> = {}): MarkRow => ({
  tool,
  means,
  line,
  ...more,
})
const alone = { isAlone: true } as const
const firstLine = { isFirstLine: true } as const

/** The word, alone but for words as a heading has them. */
const HEADING = new RegExp(
  '^(?:--|#)[^a-z]*(?:(?:begin|start|migrat\\w*|sql|section|part)[^a-z]+)?' +
    '(?:down|undo|rollback|roll back|revert|downgrade|backwards?)' +
    '(?:[^a-z]+(?:begin|start|migration|script|sql|section|part|changes?))?[^a-z]*$',
  'i',
)

export const MARK_ROWS: readonly MarkRow[] = [
  row('Quoin', 'no_transaction', /^-- *quoin:no-transaction *$/i),
  row('Quoin', 'refused', /^-- *quoin:/i),

  row(LOOSE_TOOL, 'up', /^--[\s-]*up\s+migration/i),
  row(LOOSE_TOOL, 'down', /^--[\s-]*down\s+migration/i),

  row('goose', 'up', /^--[\s-]*\+goose\s+up\s*$/i),
  row('goose', 'down', /^--[\s-]*\+goose\s+down\s*$/i),
  row('goose', 'no_transaction', /^--[\s-]*\+goose\s+no transaction\s*$/i),
  row('goose', 'nothing', /^--[\s-]*\+goose\s+(?:statement(?:begin|end)|envsub off)\s*$/i),
  row('goose', 'refused', /^--.*\+goose\b/i),

  row('dbmate', 'up', /^--\s*migrate:up\s.*\btransaction:false\b/, alone),
  row('dbmate', 'up', /^--\s*migrate:up(?:\s|$)/),
  row('dbmate', 'down', /^--\s*migrate:down\s.*\btransaction:false\b/, alone),
  row('dbmate', 'down', /^--\s*migrate:down(?:\s|$)/),
  row('dbmate', 'refused', /^--\s*migrate:/i),

  row('sql-migrate', 'up', /^--\s*\+migrate\s+up\s.*\bnotransaction\b/i, alone),
  row('sql-migrate', 'up', /^--\s*\+migrate\s+up\s*$/i),
  row('sql-migrate', 'down', /^--\s*\+migrate\s+down\s.*\bnotransaction\b/i, alone),
  row('sql-migrate', 'down', /^--\s*\+migrate\s+down\s*$/i),
  row('sql-migrate', 'nothing', /^--\s*\+migrate\s+statement(?:begin|end)\b/i),
  row('sql-migrate', 'refused', /^--\s*\+migrate\b/i),

  row('tern', 'down', /^---- create above \/ drop below ----/),
  row('tern', 'no_transaction', /^---- tern: disable-tx ----$/),
  row('tern', 'refused', /^--+ *(?:tern:|create above *\/|drop below *-)/i),

  row('Rambler', 'up', /^-- rambler\s+up\s*$/),
  row('Rambler', 'down', /^-- rambler\s+down\s*$/),
  row('Rambler', 'refused', /^--\s*rambler\b/i),

  row('shmig', 'up', /^--\s*=+\s*up\s*=+\s*$/i),
  row('shmig', 'down', /^--\s*=+\s*down\s*=+\s*$/i),

  row('MyBatis', 'down', /^(?:(?:--|\/\/)\s*)?\/\/\s*@undo/i),
  row('MyBatis', 'heading', /^--\s*@undo\b/i),

  row('Play', 'up', /^(?:#|--).*!Ups/),
  row('Play', 'down', /^(?:#|--).*!Downs/),

  row('Liquibase', 'up', /^--\s*liquibase\s+formatted\s+sql/i),
  row('Liquibase', 'refused', /^--\s*changeset\s.*\bdbms:(?!\S*postgresql)/i),
  row('Liquibase', 'no_transaction', /^--\s*changeset\s.*\brunInTransaction:"?false/i),
  row(
    'Liquibase',
    'refused',
    /^--\s*(?:property\s+name:|ignoreLines:|preconditions?\s+on\w+:|precondition-\w+)/i,
  ),

  row('Sqitch', 'refused', /^--\s*(?:revert \S+ from|verify \S+ on) pg\s*$/i),

  row('Atlas', 'no_transaction', /^--\s*atlas:txmode\s+none\s*$/),
  row('Atlas', 'nothing', /^--\s*atlas:(?:txmode|nolint|sum|import)\b/),
  row('Atlas', 'refused', /^--\s*atlas:/),

  row('sqlx', 'no_transaction', /^-- no-transaction/, firstLine),
  row('Graphile Migrate', 'no_transaction', /^--!\s*no-transaction\b/, firstLine),
  row('Graphile Migrate', 'refused', /^--!\s*include\s/),
  row('Evolve', 'no_transaction', /^--\s*evolve-tx-off\b/i, firstLine),
  row('postgres-migrations', 'no_transaction', /^--\s*postgres-migrations disable-transaction\b/),
  row('Migratus', 'no_transaction', /^--\s*:disable-transaction\b/),
  row('Morph', 'no_transaction', /^--\s*morph:nontransactional\b/),
  row('Morph', 'refused', /^--\s*morph:/),
  row('yoyo', 'no_transaction', /^--\s*transactional:\s*false\s*$/i),

  row('an unknown tool', 'heading', HEADING),
]
