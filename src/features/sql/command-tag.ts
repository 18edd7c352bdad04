// The command tag of a statement (`CREATE TABLE`), from its tree: over HTTP, Neon and our gateway pass on its first
// word alone. Statements that are not listed keep that word.

import type { SyntaxNode } from './syntax-tree.ts'

/** Tags that the kind of node alone decides. */
const TAG_BY_NODE: Record<string, string> = {
  AlterDatabaseSetStmt: 'ALTER DATABASE',
  AlterDatabaseStmt: 'ALTER DATABASE',
  AlterDefaultPrivilegesStmt: 'ALTER DEFAULT PRIVILEGES',
  AlterDomainStmt: 'ALTER DOMAIN',
  AlterEnumStmt: 'ALTER TYPE',
  AlterExtensionContentsStmt: 'ALTER EXTENSION',
  AlterExtensionStmt: 'ALTER EXTENSION',
  AlterFunctionStmt: 'ALTER FUNCTION',
  AlterPolicyStmt: 'ALTER POLICY',
  AlterPublicationStmt: 'ALTER PUBLICATION',
  AlterRoleSetStmt: 'ALTER ROLE',
  AlterRoleStmt: 'ALTER ROLE',
  AlterSeqStmt: 'ALTER SEQUENCE',
  AlterStatsStmt: 'ALTER STATISTICS',
  AlterSystemStmt: 'ALTER SYSTEM',
  AlterTypeStmt: 'ALTER TYPE',
  ClosePortalStmt: 'CLOSE CURSOR',
  CompositeTypeStmt: 'CREATE TYPE',
  ConstraintsSetStmt: 'SET CONSTRAINTS',
  CreateCastStmt: 'CREATE CAST',
  CreateDomainStmt: 'CREATE DOMAIN',
  CreateEnumStmt: 'CREATE TYPE',
  CreateEventTrigStmt: 'CREATE EVENT TRIGGER',
  CreateExtensionStmt: 'CREATE EXTENSION',
  CreateFdwStmt: 'CREATE FOREIGN DATA WRAPPER',
  CreateForeignServerStmt: 'CREATE SERVER',
  CreateForeignTableStmt: 'CREATE FOREIGN TABLE',
  CreatePolicyStmt: 'CREATE POLICY',
  CreatePublicationStmt: 'CREATE PUBLICATION',
  CreateRangeStmt: 'CREATE TYPE',
  CreateRoleStmt: 'CREATE ROLE',
  CreateSchemaStmt: 'CREATE SCHEMA',
  CreateSeqStmt: 'CREATE SEQUENCE',
  CreateStatsStmt: 'CREATE STATISTICS',
  CreateStmt: 'CREATE TABLE',
  CreateTransformStmt: 'CREATE TRANSFORM',
  CreateTrigStmt: 'CREATE TRIGGER',
  CreateUserMappingStmt: 'CREATE USER MAPPING',
  DeclareCursorStmt: 'DECLARE CURSOR',
  DropOwnedStmt: 'DROP OWNED',
  DropRoleStmt: 'DROP ROLE',
  DropUserMappingStmt: 'DROP USER MAPPING',
  ImportForeignSchemaStmt: 'IMPORT FOREIGN SCHEMA',
  IndexStmt: 'CREATE INDEX',
  LockStmt: 'LOCK TABLE',
  ReassignOwnedStmt: 'REASSIGN OWNED',
  RefreshMatViewStmt: 'REFRESH MATERIALIZED VIEW',
  RuleStmt: 'CREATE RULE',
  SecLabelStmt: 'SECURITY LABEL',
  TruncateStmt: 'TRUNCATE TABLE',
  ViewStmt: 'CREATE VIEW',
}

/** Object types whose words are not their name in lower case. */
const OBJECT_WORDS: Record<string, string> = {
  ATTRIBUTE: 'TYPE',
  DOMCONSTRAINT: 'DOMAIN',
  FDW: 'FOREIGN DATA WRAPPER',
  FOREIGN_SERVER: 'SERVER',
  MATVIEW: 'MATERIALIZED VIEW',
  OPCLASS: 'OPERATOR CLASS',
  OPFAMILY: 'OPERATOR FAMILY',
  STATISTIC_EXT: 'STATISTICS',
  TABCONSTRAINT: 'TABLE',
  TSCONFIGURATION: 'TEXT SEARCH CONFIGURATION',
  TSDICTIONARY: 'TEXT SEARCH DICTIONARY',
  TSPARSER: 'TEXT SEARCH PARSER',
  TSTEMPLATE: 'TEXT SEARCH TEMPLATE',
}

/** The tag, or undefined where its first word (which the database tells) is all of it. */
export function commandTag(nodeName: string, fields: SyntaxNode): string | undefined {
  switch (nodeName) {
    case 'CreateFunctionStmt':
      return fields['is_procedure'] ? 'CREATE PROCEDURE' : 'CREATE FUNCTION'
    case 'CreateTableAsStmt':
      return fields['objtype'] === 'OBJECT_MATVIEW' ? 'CREATE MATERIALIZED VIEW' : 'CREATE TABLE AS'
    case 'DefineStmt':
      return objectTag('CREATE', fields['kind'])
    case 'DropStmt':
      return objectTag('DROP', fields['removeType'])
    case 'AlterTableStmt':
      return objectTag('ALTER', fields['objtype'])
    case 'AlterOwnerStmt':
    case 'AlterObjectSchemaStmt':
    case 'AlterObjectDependsStmt':
      return objectTag('ALTER', fields['objectType'])
    case 'RenameStmt':
      return objectTag('ALTER', renamedType(fields))
    default:
      return TAG_BY_NODE[nodeName]
  }
}

/** Renaming a column is an `ALTER TABLE` or `ALTER VIEW`, by what the column belongs to. */
function renamedType(fields: SyntaxNode): SyntaxNode[string] {
  return fields['renameType'] === 'OBJECT_COLUMN' ? fields['relationType'] : fields['renameType']
}

function objectTag(verb: string, objectType: SyntaxNode[string]): string | undefined {
  if (typeof objectType !== 'string') return undefined
  const name = objectType.replace(/^OBJECT_/, '')
  return `${verb} ${OBJECT_WORDS[name] ?? name.replaceAll('_', ' ')}`
}
