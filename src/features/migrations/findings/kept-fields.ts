// Which fields of Postgres' syntax trees the findings read. A field that is missing here is missing in every tree.

import { keptFields } from '../../sql/syntax-tree.ts'

const NAMES = 'relation relname schemaname relpersistence name names sval ival boolval items objects rel base'
const STATEMENTS =
  'subtype objtype removeType renameType relationType behavior concurrent mode kind replace if_not_exists ' +
  'is_vacuumcmd newname newschema idxname into intoClause domainname'
const TABLES = 'relations rels view table sequence tableElts inhRelations pktable'
const ALTERATIONS = 'cmds def contype constraints skip_validation indexname generated_kind bound is_default'
const COLUMNS = 'typeName arrayBounds raw_expr raw_default'
const OPTIONS = 'options params defname args arg'
const WITH = 'withClause ctes ctequery'
/** Where a function may stand in the default of a column. */
const EXPRESSIONS = 'funcname val expr lexpr rexpr elements result defresult'

export const FINDING_FIELDS = keptFields(
  [NAMES, STATEMENTS, TABLES, ALTERATIONS, COLUMNS, OPTIONS, WITH, EXPRESSIONS].join(' '),
  'whereClause partbound',
)
