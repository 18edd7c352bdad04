// Every check. A new one is an entry in a file beside this one, and a line here.

import type { Check } from '../check.ts'
import {
  anonReadsForeignTable,
  anonReadsMaterializedView,
  anonReadsWithoutRls,
  secretColumnReadable,
  viewBypassesRls,
} from './anon-reads.ts'
import {
  definerGrantedToAnon,
  definerOpenToEveryone,
  definerWithoutSearchPath,
  extensionInExposedSchema,
} from './functions.ts'
import { duplicateIndex, foreignKeyWithoutIndex, invalidIndex, unusedIndex } from './indexes.ts'
import {
  anonInsertsAnything,
  anonWritesWithoutRls,
  multiplePermissivePolicies,
  policiesNotEnforced,
  policyAlwaysTrue,
  policyEvaluatedPerRow,
  rlsWithoutPolicy,
} from './policies.ts'
import { manyDeadRows, neverAnalysed, noPrimaryKey, sequenceNearEnd } from './tables.ts'

/** Of those that are tried, the worst are tried first. */
export const CHECKS: readonly Check[] = [
  policiesNotEnforced,
  anonWritesWithoutRls,
  secretColumnReadable,
  policyAlwaysTrue,
  viewBypassesRls,
  anonReadsForeignTable,
  anonReadsWithoutRls,
  anonReadsMaterializedView,
  definerWithoutSearchPath,
  definerOpenToEveryone,
  definerGrantedToAnon,
  anonInsertsAnything,
  rlsWithoutPolicy,
  extensionInExposedSchema,
  sequenceNearEnd,
  invalidIndex,
  duplicateIndex,
  policyEvaluatedPerRow,
  foreignKeyWithoutIndex,
  noPrimaryKey,
  unusedIndex,
  neverAnalysed,
  manyDeadRows,
  multiplePermissivePolicies,
]
