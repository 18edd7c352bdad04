// The access rules: who may call which endpoint, and what a call is held to.

import { Button, Empty, Input, Select } from '@cloudflare/kumo'
import { DoorOpenIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Schema } from '../../api/client.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/page.tsx'
import { rulesQuery } from './queries.ts'

const view = getRouteApi('/gateway')

type Rule = Schema<'AccessRule'>

const LEVELS: Record<Rule['level'], string> = {
  none: 'Anybody',
  visitor: 'Anybody, from no foreign page',
  public: 'Anybody, for public and signed files',
  any_key: 'Any API key',
  service_role: 'A service_role key',
  session: 'A dashboard session',
  admin: 'An administrator',
  internal: 'The listener',
}
/** Not an empty text: the select takes that for a question that nobody has answered. */
const ANY = 'any'

const LIMITS: Record<Rule['rate_limit'], string> = {
  key: 'by key',
  address: 'by address',
  address_consent: 'by address, for consent',
  address_storage: 'by address, for files',
  none: 'none',
}

const COLUMNS: Column<Rule>[] = [
  {
    id: 'endpoint',
    head: 'Endpoint',
    cell: ({ method, path }) => (
      <code className="wrap-anywhere">
        {method} {path}
      </code>
    ),
    sortBy: ({ path, method }) => `${path} ${method}`,
    className: 'min-w-56',
  },
  {
    id: 'level',
    head: 'Who may call',
    cell: ({ level }) => LEVELS[level],
    sortBy: ({ level }) => LEVELS[level],
    className: 'md:whitespace-nowrap',
  },
  { id: 'summary', head: 'What it does', cell: ({ summary }) => summary, isSecondary: true },
  {
    id: 'rate_limit',
    head: 'Limit',
    cell: rule => LIMITS[rule.rate_limit],
    sortBy: rule => LIMITS[rule.rate_limit],
    isSecondary: true,
    className: 'whitespace-nowrap',
  },
  {
    id: 'audited',
    head: 'Audited',
    cell: ({ audited }) => (audited ? 'yes' : ''),
    sortBy: ({ audited }) => Number(audited),
    isSecondary: true,
  },
  {
    id: 'body',
    head: 'Body',
    align: 'right',
    cell: rule => <BodyMax of={rule} />,
    sortBy: ({ body_bytes_max: bytes }) => bytes,
    isSecondary: true,
    className: 'whitespace-nowrap',
  },
]

export function Rules() {
  const query = useQuery(rulesQuery)
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  const words = (search.search ?? '').toLowerCase().split(/\s+/)
  const isShown = ({ id, method, path, summary, level }: Rule) => {
    const text = `${id} ${method} ${path} ${summary}`.toLowerCase()
    return (!search.level || search.level === level) && words.every(word => text.includes(word))
  }
  return (
    <Section
      title="Access rules"
      lead="Made from the table that requests are let in by, so they cannot be out of date."
    >
      <div className="flex flex-wrap items-center gap-4">
        <Input
          type="search"
          aria-label="Search rules"
          placeholder="Method, path or words"
          value={search.search ?? ''}
          onChange={event => change({ search: event.target.value || undefined })}
          className="w-80 max-w-full"
        />
        <Select
          aria-label="Who may call"
          value={search.level || ANY}
          items={{ [ANY]: 'Whoever may call', ...LEVELS }}
          onValueChange={level => change({ level: level === null || level === ANY ? undefined : level })}
        />
      </div>
      <Loaded query={query}>
        {({ data }) => {
          const shown = data.filter(isShown)
          if (shown.length === 0)
            return (
              <Empty
                icon={<DoorOpenIcon size={40} />}
                title="No rule matches"
                description={`There are ${data.length} rules in all.`}
                contents={
                  <Button onClick={() => change({ search: undefined, level: undefined })}>
                    Show all rules
                  </Button>
                }
              />
            )
          return (
            <DataTable
              label="Access rules"
              columns={COLUMNS}
              rows={shown}
              rowKey={({ method, path }) => `${method} ${path}`}
              sort={search.sort}
              onSort={sort => change({ sort })}
            />
          )
        }}
      </Loaded>
    </Section>
  )
}

function BodyMax({ of: { body_bytes_max: bytes, streams_body: streams } }: { of: Rule }) {
  if (bytes === null) return null
  const size =
    bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KiB` : `${Math.round(bytes / 1024 / 1024)} MiB`
  return <>{streams ? `${size}, streamed` : size}</>
}
