// What this deployment offers, and why something is off.

import { useQuery } from '@tanstack/react-query'
import type { Schema } from '../../api/client.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/page.tsx'
import { State } from '../../parts/state.tsx'
import { modulesQuery } from './queries.ts'

type Module = Schema<'Module'>

const COLUMNS: Column<Module>[] = [
  { id: 'name', head: 'Module', cell: ({ name }) => <code>{name}</code> },
  { id: 'summary', head: 'What it offers', cell: ({ summary }) => summary, isSecondary: true },
  {
    id: 'state',
    head: 'State',
    cell: ({ enabled, reason }) =>
      enabled ? <State tone="good">On</State> : <State tone="neutral">{`Off: ${reason}`}</State>,
  },
]

export function Modules() {
  const query = useQuery(modulesQuery)
  return (
    <Section
      title="Modules"
      lead="On when every variable that they need is set; the README’s table explains each."
    >
      <Loaded query={query}>
        {({ data }) => (
          <DataTable label="Modules" columns={COLUMNS} rows={data} rowKey={({ name }) => name} />
        )}
      </Loaded>
    </Section>
  )
}
