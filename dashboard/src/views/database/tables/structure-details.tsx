// What the catalog knows of a table beyond its columns and keys: access, policies, constraints, indexes, triggers.

import { Empty } from '@cloudflare/kumo'
import { ShieldIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { bytesText } from '../../../parts/bytes.ts'
import { CodeEditor } from '../../../parts/code-editor.tsx'
import { DataTable, type Column as ListColumn } from '../../../parts/data-table.tsx'
import { AccessState, PolicyList } from '../../../parts/database/access.tsx'
import { COMMANDS, type Structure } from '../../../parts/database/access-words.ts'
import { structureQuery } from '../../../parts/database/schema-query.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page.tsx'
import { State } from '../../../parts/state.tsx'
import type { Table } from './queries.ts'

type Index = Structure['indexes'][number]
type Trigger = Structure['triggers'][number]
interface Constraint {
  name: string
  kind: string
  text: string
}

export function StructureDetails({ of: { schema, name } }: { of: Table }) {
  const query = useQuery(structureQuery(schema, name))
  return (
    <Loaded query={query}>
      {table => (
        <>
          <Section
            title="Access"
            lead="By grants and policies. Whoever is signed in has an anon key too, with claims that policies read."
          >
            <DataTable
              label={`Access to ${name}`}
              columns={ACCESS_COLUMNS}
              rows={COMMANDS.map(({ command, verb }) => ({
                verb,
                anon: table.access.anon[command],
                service: table.access.service_role[command],
              }))}
              rowKey={({ verb }) => verb}
            />
          </Section>
          {table.view_definition !== null && (
            <Section title="Query">
              <CodeEditor
                label={`Query of ${name}`}
                language="sql"
                value={table.view_definition.trim()}
                isReadOnly
                className="max-h-96"
              />
            </Section>
          )}
          <Section title="Policies">
            {table.policies.length > 0 ? (
              <PolicyList label={`Policies of ${name}`} of={table.policies} />
            ) : (
              <Empty
                icon={<ShieldIcon size={40} />}
                title="No policies"
                description={
                  table.row_level_security
                    ? 'Row-level security is on, so anon reaches no row.'
                    : 'Row-level security is off, so grants alone decide.'
                }
              />
            )}
          </Section>
          {constraintsOf(table).length > 0 && (
            <Section title="Constraints">
              <DataTable
                label={`Constraints of ${name}`}
                columns={CONSTRAINT_COLUMNS}
                rows={constraintsOf(table)}
                rowKey={constraint => constraint.name}
              />
            </Section>
          )}
          {table.indexes.length > 0 && (
            <Section title="Indexes">
              <DataTable
                label={`Indexes of ${name}`}
                columns={INDEX_COLUMNS}
                rows={table.indexes}
                rowKey={index => index.name}
              />
            </Section>
          )}
          {table.triggers.length > 0 && (
            <Section title="Triggers">
              <DataTable
                label={`Triggers of ${name}`}
                columns={TRIGGER_COLUMNS}
                rows={table.triggers}
                rowKey={trigger => trigger.name}
              />
            </Section>
          )}
        </>
      )}
    </Loaded>
  )
}

interface AccessRow {
  verb: string
  anon: Structure['access']['anon']['select']
  service: Structure['access']['anon']['select']
}

const ACCESS_COLUMNS: ListColumn<AccessRow>[] = [
  { id: 'verb', head: 'To', cell: ({ verb }) => verb },
  { id: 'anon', head: 'anon', cell: ({ anon }) => <AccessState of={anon} /> },
  {
    id: 'service_role',
    head: 'service_role',
    cell: ({ service }) => <AccessState of={service} />,
    isSecondary: true,
  },
]

const CONSTRAINT_COLUMNS: ListColumn<Constraint>[] = [
  { id: 'name', head: 'Name', cell: ({ name }) => name },
  { id: 'kind', head: 'Kind', cell: ({ kind }) => kind, isSecondary: true },
  { id: 'text', head: 'Of', cell: ({ text }) => <code className="wrap-anywhere">{text}</code> },
]

function constraintsOf({ unique_keys: keys, checks, exclusions }: Structure): Constraint[] {
  return [
    ...keys.map(({ name, columns }) => ({ name, kind: 'unique', text: columns.join(', ') })),
    ...checks.map(({ name, expression, validated }) => ({
      name,
      kind: validated ? 'check' : 'check of new rows alone',
      text: expression,
    })),
    ...exclusions.map(({ name, definition }) => ({ name, kind: 'exclusion', text: definition })),
  ]
}

const INDEX_COLUMNS: ListColumn<Index>[] = [
  { id: 'name', head: 'Name', cell: ({ name }) => name, sortBy: ({ name }) => name },
  {
    id: 'definition',
    head: 'Definition',
    cell: ({ definition, valid }) => (
      <>
        <code className="wrap-anywhere">{definition}</code>
        {!valid && (
          <div>
            <State tone="bad">not valid: it is being built, or that failed</State>
          </div>
        )}
      </>
    ),
    isSecondary: true,
  },
  {
    id: 'size',
    head: 'Size',
    align: 'right',
    cell: ({ size_bytes: bytes }) => bytesText(bytes),
    sortBy: ({ size_bytes: bytes }) => bytes,
  },
  {
    id: 'scans',
    head: 'Scans',
    align: 'right',
    cell: ({ scans }) => scans.toLocaleString('en'),
    sortBy: ({ scans }) => scans,
  },
]

const TRIGGER_COLUMNS: ListColumn<Trigger>[] = [
  { id: 'name', head: 'Name', cell: ({ name }) => <span className="wrap-anywhere">{name}</span> },
  {
    id: 'definition',
    head: 'Definition',
    cell: ({ definition, of_quoin: isOurs }) => (
      <>
        <code className="wrap-anywhere">{definition}</code>
        {isOurs && <div className="text-xs text-kumo-subtle">Made by Quoin, for webhooks of this table.</div>}
      </>
    ),
    isSecondary: true,
  },
  {
    id: 'enabled',
    head: 'State',
    cell: ({ enabled }) => (
      <State tone={enabled ? 'good' : 'neutral'}>{enabled ? 'Enabled' : 'Disabled'}</State>
    ),
  },
]
