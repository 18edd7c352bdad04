// What a run asks for.

import { Input } from '@cloudflare/kumo'
import type { OAuthClient } from './queries.ts'
import type { Asked } from './requests.ts'

export function AskedFields<Shape extends Asked>({
  client,
  asked,
  onChange,
}: {
  client: OAuthClient
  asked: Shape
  onChange: (asked: Shape) => void
}) {
  return (
    <div className="flex flex-col gap-4">
      <Input
        className="w-full"
        label="Scope"
        description={client.scope === '' ? 'The client may ask for none' : `It may ask for: ${client.scope}`}
        value={asked.scope}
        onChange={event => onChange({ ...asked, scope: event.target.value })}
        spellCheck={false}
        autoComplete="off"
      />
      <Input
        label="Audience"
        description={client.audience.length === 0 ? 'The client may ask for none' : client.audience.join(' ')}
        value={asked.audience}
        onChange={event => onChange({ ...asked, audience: event.target.value })}
        spellCheck={false}
        autoComplete="off"
      />
    </div>
  )
}
