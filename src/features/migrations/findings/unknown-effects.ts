// Statements whose effects the text does not tell. Pure.

import type { SyntaxNode } from '../../sql/syntax-tree.ts'
import { unwrap } from './tree.ts'

const CODE = 'what its code does is not known before it runs'
const CASCADE = 'what depends on it is dropped too, which may be columns and tables with their data'
const OWNED = 'which tables it takes is not in its text'

const KINDS: Readonly<Record<string, string>> = {
  DoStmt: CODE,
  CallStmt: CODE,
  ExecuteStmt: CODE,
  AlterExtensionStmt: CODE,
  AlterTableMoveAllStmt: OWNED,
  DropOwnedStmt: OWNED,
}

/** On tables, CASCADE takes views and foreign keys, which `dropStatement` tells. */
const TOLD = new Set(['OBJECT_TABLE', 'OBJECT_TRIGGER', 'OBJECT_POLICY', 'OBJECT_RULE', 'OBJECT_INDEX'])

/** Why the statement cannot be analysed, as the end of a sentence; undefined where it can. */
export function whyUnknown(statement: SyntaxNode): string | undefined {
  const { type, fields } = unwrap(statement)
  const isCascade = type === 'DropStmt' && fields['behavior'] === 'DROP_CASCADE'
  return isCascade && !TOLD.has(String(fields['removeType'])) ? CASCADE : KINDS[type]
}
