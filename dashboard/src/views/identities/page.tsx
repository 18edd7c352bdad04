// Everybody who can sign in at the identity provider.

import { Button, Empty, Input } from '@cloudflare/kumo'
import { UsersIcon } from '@phosphor-icons/react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { None } from '../../parts/facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { emailOf, nameOf, roleOf, titleOf } from '../../parts/person.ts'
import { Time } from '../../parts/time.tsx'
import { IdentityState } from './identity-state.tsx'
import { type Identity, identitiesQuery } from './queries.ts'

const view = getRouteApi('/identities')

const COLUMNS: Column<Identity>[] = [
  { id: 'email', head: 'Email', cell: titleOf, sortBy: person => emailOf(person)?.toLowerCase() },
  {
    id: 'name',
    head: 'Name',
    cell: person => nameOf(person) ?? <None />,
    sortBy: person => nameOf(person)?.toLowerCase(),
    isSecondary: true,
  },
  { id: 'role', head: 'Role', cell: person => roleOf(person) ?? <None />, sortBy: roleOf },
  { id: 'state', head: 'State', cell: person => <IdentityState of={person} /> },
  {
    id: 'created',
    head: 'Created',
    cell: ({ created_at: at }) => (at === null ? <None>not known</None> : <Time at={at} />),
    sortBy: person => person.created_at,
    isSecondary: true,
  },
]

export function IdentitiesPage() {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const email = search.email ?? ''
  const [typed, setTyped] = useState(email)
  const query = useInfiniteQuery(identitiesQuery(email))
  const people = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data])
  const find = (wanted: string) => {
    setTyped(wanted)
    void navigate({ search: { ...search, email: wanted.trim() || undefined }, replace: true })
  }
  return (
    <Page
      title="Identities"
      lead="Everybody who can sign in. Accounts and passwords are made and changed at the identity provider."
    >
      <search className="flex flex-wrap items-center gap-2">
        <form
          className="flex w-full max-w-lg flex-wrap gap-2"
          onSubmit={event => {
            event.preventDefault()
            find(typed)
          }}
        >
          <Input
            aria-label="Email address"
            placeholder="The whole email address"
            type="search"
            value={typed}
            onChange={event => setTyped(event.target.value)}
            className="min-w-0 flex-1"
          />
          <Button type="submit">Find person</Button>
          {email !== '' && (
            <Button variant="ghost" onClick={() => find('')}>
              Show everybody
            </Button>
          )}
        </form>
      </search>
      <Loaded query={query.isFetchNextPageError ? { ...query, error: null } : query}>
        {() =>
          people.length === 0 ? (
            <Empty
              icon={<UsersIcon size={40} />}
              title={email === '' ? 'No accounts yet' : `Nobody signs in as ${email}`}
              description="The identity provider finds people by the whole address that they sign in with."
            />
          ) : (
            <>
              <DataTable
                label="Identities"
                columns={COLUMNS}
                rows={people}
                rowKey={({ id }) => id}
                href={({ id }) => `/identities/${encodeURIComponent(id)}`}
                sort={search.sort}
                onSort={sort => navigate({ search: { ...search, sort }, replace: true })}
              />
              <div className="flex items-center gap-4">
                {query.hasNextPage && (
                  <Button onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
                    Load more people
                  </Button>
                )}
                <span role="status" className="text-kumo-subtle tabular-nums">
                  {people.length.toLocaleString('en')} {people.length === 1 ? 'person' : 'people'} shown
                  {query.hasNextPage ? '; there are more' : ', and that is all'}
                </span>
              </div>
              {query.isFetchNextPageError && <ErrorNotice error={query.error} />}
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
