// Sends messages to channels for whoever has no socket: all of them, or none where one may not be sent.

import type { DatabaseCaller } from '../../db/caller-session.ts'
import { DomainError } from '../../errors.ts'
import { concurrently } from '../../lib/concurrently.ts'
import { encodeUtf8 } from '../../lib/utf8.ts'
import type { ApiKey } from '../api-keys/record/schemas.ts'
import type { HubBroadcast, RealtimeHubs } from './hub/hub-contract.ts'
import type { AskSightDeps } from './sight/ask-sight.ts'
import { askTopic, unauthorizedTopic } from './sight/ask-topic.ts'

interface BroadcastDeps extends AskSightDeps {
  readonly hubs: RealtimeHubs
  readonly config: AskSightDeps['config'] & {
    readonly realtimeMessageBytesMax: number
    readonly realtimeMessagesPerSecond: number
    readonly realtimeDeliveriesPerSecond: number
  }
}

/** Policies are asked about so many topics at a time, and about so many in one call. */
const TOPICS_AT_ONCE = 4
const PRIVATE_TOPICS_MAX = 20

/**
 * Answers once the hub has sent them. Throws `validation_failed` for a message that is too large, `unauthorized_topic`
 * where no policy lets the caller write a private topic, what a policy raises, and `rate_limited`.
 */
export async function broadcastOverHttp(
  deps: BroadcastDeps,
  { role, claims, share }: Pick<DatabaseCaller, 'role' | 'claims' | 'share'>,
  key: Pick<ApiKey, 'id' | 'project_id'>,
  messages: readonly HubBroadcast[],
): Promise<void> {
  refuseSizes(messages, deps.config.realtimeMessageBytesMax)
  const topics = [...new Set(messages.filter(({ isPrivate }) => isPrivate).map(({ topic }) => topic))]
  if (topics.length > PRIVATE_TOPICS_MAX) {
    throw new DomainError(
      'validation_failed',
      `messages: name more than ${PRIVATE_TOPICS_MAX} private topics.`,
      {
        hint: 'Send them in several calls.',
      },
    )
  }
  await concurrently(topics, TOPICS_AT_ONCE, async topic => {
    const { broadcast } = await askTopic(deps, { role, claims: claims ?? {}, share }, topic)
    if (!broadcast.write) throw unauthorizedTopic('write to', topic)
  })
  const outcome = await deps.hubs.byProject(key.project_id).broadcast(key.id, messages)
  if (outcome !== 'sent') throw rateLimited(outcome, messages.length, deps.config)
}

function refuseSizes(messages: readonly HubBroadcast[], bytesMax: number): void {
  const sizeOf = ({ payload }: HubBroadcast) =>
    payload.encoding === 'json' ? encodeUtf8(payload.json).length : payload.bytes.length
  const at = messages.findIndex(message => sizeOf(message) > bytesMax)
  if (at === -1) return
  throw new DomainError('validation_failed', `messages.${at}.payload: has more than ${bytesMax} bytes.`, {
    hint: 'Send less at once, or raise REALTIME_MESSAGE_BYTES_MAX.',
  })
}

function rateLimited(
  outcome: 'too_many_messages' | 'too_many_deliveries',
  count: number,
  { realtimeMessagesPerSecond, realtimeDeliveriesPerSecond }: BroadcastDeps['config'],
): DomainError {
  const facts = { detail: `The call has ${count} messages; none was sent.`, retryAfterSeconds: 1 }
  return outcome === 'too_many_messages'
    ? new DomainError('rate_limited', `The key may send ${realtimeMessagesPerSecond} messages a second.`, {
        ...facts,
        hint: 'Send fewer and larger messages, or raise REALTIME_MESSAGES_PER_SECOND.',
      })
    : new DomainError(
        'rate_limited',
        `The project may send ${realtimeDeliveriesPerSecond} frames to its sockets a second.`,
        { ...facts, hint: 'Send less often, or raise REALTIME_DELIVERIES_PER_SECOND.' },
      )
}
