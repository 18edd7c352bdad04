import { State } from '../../parts/state.tsx'
import type { Webhook } from './queries.ts'

/** What the list is filtered by. */
export function healthOf({ active, state }: Webhook): 'healthy' | 'failing' | 'paused' {
  if (!active) return 'paused'
  return state === 'failing' ? 'failing' : 'healthy'
}

export function WebhookState({ of: webhook }: { of: Webhook }) {
  const health = healthOf(webhook)
  if (health === 'paused')
    return webhook.state === 'paused_by_receiver' ? (
      <State tone="attention">Paused by receiver</State>
    ) : (
      <State tone="neutral">Paused</State>
    )
  if (!webhook.table_watched) return <State tone="attention">Table is gone</State>
  if (health === 'failing') return <State tone="bad">Failing</State>
  if (webhook.fail_count > 0) return <State tone="attention">Retrying</State>
  return <State tone="good">Healthy</State>
}

/** `public.todos`, as the lists show it. */
export function tableOf({ table_schema: schema, table_name: name }: Webhook): string {
  return `${schema}.${name}`
}
