// What is wrong with a webhook, and what happens meanwhile. Nothing for one that is well.

import { Banner } from '@cloudflare/kumo'
import { PauseCircleIcon, WarningCircleIcon } from '@phosphor-icons/react'
import type { Webhook } from './queries.ts'
import { tableOf } from './webhook-state.tsx'

export function HealthNotice({ of: webhook }: { of: Webhook }) {
  const warning = <WarningCircleIcon weight="fill" />
  if (!webhook.active && webhook.state === 'paused_by_receiver')
    return (
      <Banner
        variant="alert"
        icon={warning}
        title="Paused by its receiver, which answered 410 Gone"
        description="Changes are kept for seven days. Resume it once the receiver wants them again."
      />
    )
  if (!webhook.active)
    return (
      <Banner
        variant="secondary"
        icon={<PauseCircleIcon weight="fill" />}
        title="Paused"
        description="Changes are kept for seven days, and sent when it is resumed, those of each row in order."
      />
    )
  if (!webhook.table_watched)
    return (
      <Banner
        variant="alert"
        icon={warning}
        title={`The table ${tableOf(webhook)} is gone`}
        description="Nothing is recorded. Recording resumes within a minute once a table of that name exists again."
      />
    )
  if (webhook.state === 'failing')
    return (
      <Banner
        variant="error"
        icon={warning}
        title={`Failing: ${webhook.fail_count} attempts in a row have failed`}
        description="One event is tried about once a minute; the others wait until one arrives."
      />
    )
  return null
}
