// Asks the policies on realtime.messages what a caller may do with a topic.

import { callerClaims } from '../../../db/caller-session.ts'
import { PostgresError } from '../../../db/postgres-error.ts'
import { DomainError } from '../../../errors.ts'
import { type AskSightDeps, sightSession } from './ask-sight.ts'
import type { Seen, SightCaller } from './sight-contract.ts'

export interface TopicRights {
  readonly broadcast: { readonly read: boolean; readonly write: boolean }
  readonly presence: { readonly read: boolean; readonly write: boolean }
}

const TIMEOUT_MS = 2_000

/**
 * What a caller may read and send of a topic (without `realtime:`), by the policies of now. Throws the
 * `PostgresError` of a policy that raises.
 */
export async function askTopic(
  { data, config }: AskSightDeps,
  { role, claims, share }: SightCaller,
  topic: string,
): Promise<TopicRights> {
  const session = sightSession(config, TIMEOUT_MS, share)
  const statement = {
    sql: 'select quoin.topic_rights($1, $2, $3)',
    params: [role, callerClaims(role, claims), topic],
  }
  const [result] = await data.batch(session, [statement], {
    prepared: true,
    readOnly: false,
    changesNothing: true,
  })
  const { read, write } = JSON.parse(result?.rows[0]?.[0] ?? '{}') as { read: Seen; write: Seen }
  const rights = { read: indexesOf(read), write: indexesOf(write) }
  const of = (index: number) => ({ read: rights.read.includes(index), write: rights.write.includes(index) })
  return { broadcast: of(0), presence: of(1) }
}

function indexesOf(answered: Seen): readonly number[] {
  if (answered === 'all') return [0, 1]
  if ('code' in answered) throw new PostgresError(answered)
  return answered
}

/** What policies on realtime.messages do not allow. */
export function unauthorizedTopic(verb: 'read from' | 'write to', topic: string): DomainError {
  const message = `You do not have permissions to ${verb} this Channel topic: ${topic}`
  const command = verb === 'read from' ? 'SELECT' : 'INSERT'
  const hint = `A policy FOR ${command} on realtime.messages allows it, by realtime.topic() (docs/realtime.md).`
  return new DomainError('unauthorized_topic', message, { hint })
}
