// The fields that a webhook can be created with and changed in.

import { Checkbox, Input } from '@cloudflare/kumo'
import { useState } from 'react'
import type { ErrorAt } from '../../parts/use-submit.ts'
import { HeaderFields } from './header-fields.tsx'
import { TableFields } from './table-fields.tsx'
import { EVENTS, headersProblem, urlProblem, type WebhookDraft } from './webhook-draft.ts'

export function WebhookFields({
  draft,
  onChange,
  errorAt,
}: {
  draft: WebhookDraft
  onChange: (changed: Partial<WebhookDraft>) => void
  errorAt: ErrorAt
}) {
  const [isUrlTyped, setUrlTyped] = useState(false)
  return (
    <>
      <Input
        label="Name"
        description="What it is for. It shows in lists and in the audit log."
        value={draft.name}
        onChange={event => onChange({ name: event.target.value })}
        error={errorAt('name')}
      />
      <TableFields draft={draft} onChange={onChange} errorAt={errorAt} />
      <Checkbox.Group
        legend="Events"
        value={draft.events}
        onValueChange={chosen => onChange({ events: EVENTS.filter(event => chosen.includes(event)) })}
        error={errorAt('events')}
        className="[&>div]:flex-row [&>div]:flex-wrap [&>div]:gap-x-6"
      >
        {EVENTS.map(event => (
          <Checkbox.Item key={event} value={event} label={event} />
        ))}
      </Checkbox.Group>
      <Input
        label="URL"
        description="Gets a POST for each change, and answers 2xx within 15 seconds. Redirects are not followed."
        type="url"
        inputMode="url"
        placeholder="https://example.com/hook"
        value={draft.url}
        onChange={event => onChange({ url: event.target.value.trim() })}
        onBlur={() => setUrlTyped(true)}
        error={isUrlTyped ? (urlProblem(draft.url) ?? errorAt('url')) : errorAt('url')}
      />
      <HeaderFields
        rows={draft.headers}
        onChange={headers => onChange({ headers })}
        error={headersProblem(draft.headers) ?? errorAt('headers')}
      />
    </>
  )
}

/** True while nothing is known to be wrong. */
export function isPlausible(draft: WebhookDraft): boolean {
  return urlProblem(draft.url) === undefined && headersProblem(draft.headers) === undefined
}
