// Who changes objects: a program's writes are its own affair, a person's get a row in the audit log.

import { type AuditDeps, audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import type { ObjectPlace } from './names.ts'

/** Makes the change; a session's with an audit row, whose target is `bucket/name` and whose `after` is `shown`. */
export async function recorded<Result>(
  deps: AuditDeps,
  principal: { kind: 'session' | 'api_key' },
  caller: Caller,
  { bucketId, name }: ObjectPlace,
  perform: () => Promise<Result>,
  shown: (result: Result) => unknown = result => result,
): Promise<Result> {
  if (principal.kind === 'api_key') return await perform()
  const change = { targetKind: 'object', targetId: `${bucketId}/${name}` }
  return await audited(deps, caller, change, async () => {
    const result = await perform()
    return { result, after: shown(result) }
  })
}
