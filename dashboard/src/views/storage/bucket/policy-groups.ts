// Which policies on files speak of a bucket, by the buckets that their expressions name. Pure.

import type { Schema } from '../../../api/schema.ts'

type Policy = Pick<Schema<'TablePolicy'>, 'using' | 'check'>

/** Each policy once: it names this bucket, or none at all, or others alone. Only buckets that are there are known. */
export function policyGroups<Each extends Policy>(
  policies: readonly Each[],
  id: string,
  bucketIds: readonly string[],
): { ofThis: Each[]; ofNone: Each[]; ofOthers: Each[] } {
  const isOfThis = (policy: Each) => names(policy, id)
  const isOfOthers = (policy: Each) => !isOfThis(policy) && bucketIds.some(other => names(policy, other))
  return {
    ofThis: policies.filter(isOfThis),
    ofNone: policies.filter(policy => !isOfThis(policy) && !isOfOthers(policy)),
    ofOthers: policies.filter(isOfOthers),
  }
}

/** Whether an expression about buckets has this id as a text of SQL. */
function names({ using, check }: Policy, id: string): boolean {
  const literal = `'${id.replaceAll("'", "''")}'`
  return [using, check].some(text => text?.includes('bucket_id') && text.includes(literal))
}
