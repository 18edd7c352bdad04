// The fields that a key can be created with and changed in.

import { Input } from '@cloudflare/kumo'
import { fromLocalInput, toLocalInput } from '../../parts/local-time.ts'
import { numberOf } from '../../parts/number-text.ts'
import type { ErrorAt } from '../../parts/use-submit.ts'
import type { ApiKey } from './queries.ts'

/** As they are typed: numbers and times as texts. */
export interface KeyDraft {
  name: string
  limit: string
  addressLimit: string
  expires: string
}

export const EMPTY_DRAFT: KeyDraft = { name: '', limit: '', addressLimit: '', expires: '' }

export function draftOf(key: ApiKey): KeyDraft {
  return {
    name: key.name,
    limit: key.rate_limit_per_minute?.toString() ?? '',
    addressLimit: key.rate_limit_per_address?.toString() ?? '',
    expires: toLocalInput(key.expires_at),
  }
}

/** The body's fields; what is no number goes to the server as it is, which says what it must be. */
export function bodyOf({ name, limit, addressLimit, expires }: KeyDraft) {
  return {
    name,
    rate_limit_per_minute: numberOf(limit),
    rate_limit_per_address: numberOf(addressLimit),
    expires_at: fromLocalInput(expires) ?? null,
  }
}

/**
 * What differs, and nothing else: what was not touched may be somebody else's change, and a time has no seconds here.
 */
export function changeOf(before: KeyDraft, draft: KeyDraft): Partial<ReturnType<typeof bodyOf>> {
  const body = bodyOf(draft)
  return {
    ...(draft.name !== before.name && { name: body.name }),
    ...(draft.limit !== before.limit && { rate_limit_per_minute: body.rate_limit_per_minute }),
    ...(draft.addressLimit !== before.addressLimit && {
      rate_limit_per_address: body.rate_limit_per_address,
    }),
    ...(draft.expires !== before.expires && { expires_at: body.expires_at }),
  }
}

export function KeyFields({
  draft,
  onChange,
  errorAt,
}: {
  draft: KeyDraft
  onChange: (changed: Partial<KeyDraft>) => void
  errorAt: ErrorAt
}) {
  return (
    <>
      <Input
        label="Name"
        description="What it is for. It shows in lists and in the audit log."
        value={draft.name}
        onChange={event => onChange({ name: event.target.value })}
        error={errorAt('name')}
      />
      <Input
        label="Requests a minute"
        description="In any 60 seconds. Empty: the default of this deployment."
        inputMode="numeric"
        value={draft.limit}
        onChange={event => onChange({ limit: event.target.value })}
        error={errorAt('rate_limit_per_minute')}
      />
      <Input
        label="Requests a minute per address"
        description="Visitors of a page share its key: this limits each of them. Empty: no limit per address."
        inputMode="numeric"
        value={draft.addressLimit}
        onChange={event => onChange({ addressLimit: event.target.value })}
        error={errorAt('rate_limit_per_address')}
      />
      <Input
        label="Expires"
        description="Empty: never."
        type="datetime-local"
        value={draft.expires}
        onChange={event => onChange({ expires: event.target.value })}
        error={errorAt('expires_at')}
      />
    </>
  )
}
