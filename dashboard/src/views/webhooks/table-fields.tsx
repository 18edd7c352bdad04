// Which table is watched. Administrators are offered those that there are; a name may be typed all the same.

import { Autocomplete, Input } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../api/session.ts'
import type { ErrorAt } from '../../parts/use-submit.ts'
import { watchableTablesQuery } from './queries.ts'
import type { WebhookDraft } from './webhook-draft.ts'

export function TableFields({
  draft,
  onChange,
  errorAt,
}: {
  draft: WebhookDraft
  onChange: (changed: Partial<WebhookDraft>) => void
  errorAt: ErrorAt
}) {
  const { is_admin: isAdmin } = useSession()
  const { data: tables = [] } = useQuery({ ...watchableTablesQuery, enabled: isAdmin })
  const names = tables.filter(({ schema }) => schema === draft.schema).map(({ name }) => name)
  return (
    <div className="grid items-start gap-4 sm:grid-cols-[10rem_minmax(0,1fr)]">
      <Input
        label="Schema"
        value={draft.schema}
        onChange={event => onChange({ schema: event.target.value })}
        error={errorAt('table_schema')}
        spellCheck={false}
        className="w-full"
      />
      <Autocomplete
        label="Table"
        items={names}
        value={draft.table}
        onValueChange={table => onChange({ table })}
        error={errorAt('table_name')}
      >
        <Autocomplete.InputGroup className="w-full" />
        <Autocomplete.Content>
          <Autocomplete.List>
            {(name: string) => (
              <Autocomplete.Item key={name} value={name}>
                {name}
              </Autocomplete.Item>
            )}
          </Autocomplete.List>
        </Autocomplete.Content>
      </Autocomplete>
    </div>
  )
}
