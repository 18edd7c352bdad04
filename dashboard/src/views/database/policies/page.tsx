// Policies: who may do what on each table, and what somebody would see.

import { Empty, Input, LinkButton, Select, Tabs } from '@cloudflare/kumo'
import { ShieldCheckIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { AccessState } from '../../../parts/database/access.tsx'
import { COMMANDS, type Structure } from '../../../parts/database/access-words.ts'
import { schemaQuery } from '../../../parts/database/schema-query.ts'
import { KINDS, tableHref } from '../../../parts/database/table-facts.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Page } from '../../../parts/page.tsx'
import { TryAs } from './try-as.tsx'

const view = getRouteApi('/database/policies')

type Role = keyof Structure['access']

export function PoliciesPage() {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  const tab = search.tab ?? 'access'
  return (
    <Page
      title="Policies"
      lead="Who may do what on each table: grants first, then the policies of row-level security."
    >
      <Tabs
        variant="underline"
        tabs={[
          { value: 'access', label: 'Who may do what' },
          { value: 'try', label: 'Try as' },
        ]}
        value={tab}
        onValueChange={to => change({ tab: to === 'try' ? 'try' : undefined })}
      />
      {tab === 'try' ? (
        <TryAs
          kind={search.as ?? 'anon'}
          person={search.person}
          onKind={as => change({ as })}
          onPerson={person => change({ person })}
        />
      ) : (
        <AccessOfAll
          role={search.role ?? 'anon'}
          text={search.search ?? ''}
          sort={search.sort}
          onChange={change}
        />
      )}
    </Page>
  )
}

function AccessOfAll({
  role,
  text,
  sort,
  onChange,
}: {
  role: Role
  text: string
  sort: string | undefined
  onChange: (changed: { role?: Role; search?: string | undefined; sort?: string | undefined }) => void
}) {
  const query = useQuery(schemaQuery)
  return (
    <>
      <div className="flex flex-wrap items-center gap-4">
        <Select
          aria-label="Role"
          className="w-52"
          value={role}
          onValueChange={next => onChange({ role: next === 'service_role' ? next : 'anon' })}
          items={[
            { value: 'anon', label: 'An anon key' },
            { value: 'service_role', label: 'A service_role key' },
          ]}
        />
        <Input
          type="search"
          aria-label="Search tables"
          placeholder="Table or policy"
          value={text}
          onChange={event => onChange({ search: event.target.value || undefined })}
          className="w-80 max-w-full"
        />
      </div>
      {role === 'anon' && (
        <p className="max-w-[75ch] text-kumo-subtle">
          People who are signed in have an anon key too. What they see beyond it, policies decide by their
          claims.
        </p>
      )}
      <Loaded query={query}>
        {({ tables, complete }) => {
          const wanted = text.toLowerCase()
          const shown = tables.filter(table => textOf(table).includes(wanted))
          if (shown.length === 0)
            return (
              <Empty
                icon={<ShieldCheckIcon size={40} />}
                title={tables.length === 0 ? 'No tables yet' : 'No table matches'}
                description="A table that a migration makes in one of the served schemas (DB_SCHEMAS) is here at once."
                contents={<LinkButton href="/database/migrations">See migrations</LinkButton>}
              />
            )
          return (
            <>
              {!complete && (
                <p className="text-kumo-subtle">
                  There is more in the schemas than is told; this is the first.
                </p>
              )}
              <DataTable
                label="Access by table"
                columns={columnsOf(role)}
                rows={shown}
                rowKey={({ schema, name }) => `${schema}.${name}`}
                href={({ schema, name }) => tableHref(schema, name, { tab: 'structure' })}
                sort={sort}
                onSort={next => onChange({ sort: next })}
              />
            </>
          )
        }}
      </Loaded>
    </>
  )
}

function textOf({ schema, name, policies }: Structure): string {
  return [schema, name, ...policies.map(policy => policy.name)].join(' ').toLowerCase()
}

function columnsOf(role: Role): Column<Structure>[] {
  return [
    {
      id: 'name',
      head: 'Table',
      cell: ({ schema, name }) => (
        <span className="wrap-anywhere">
          {schema}.{name}
        </span>
      ),
      sortBy: ({ schema, name }) => `${schema}.${name}`,
      className: 'min-w-48',
    },
    {
      id: 'rls',
      head: 'Row-level security',
      cell: securityWords,
      sortBy: securityWords,
      isSecondary: true,
    },
    ...COMMANDS.map(
      ({ command, verb }): Column<Structure> => ({
        id: command,
        head: verb,
        cell: ({ access }) => <AccessState of={access[role][command]} />,
        sortBy: ({ access }) => ['none', 'some', 'all'].indexOf(access[role][command].rows),
        isSecondary: command !== 'select',
      }),
    ),
  ]
}

function securityWords(table: Structure): string {
  const { kind, row_level_security: isOn, row_level_security_forced: isForced, policies } = table
  if (kind !== 'table' && kind !== 'partitioned_table') return `not for ${KINDS[kind].toLowerCase()}s`
  if (!isOn) return 'Off'
  const count = `${policies.length} ${policies.length === 1 ? 'policy' : 'policies'}`
  return isForced ? `On, for the owner too: ${count}` : `On: ${count}`
}
