// Roles are relations: who holds which, by person and by object, given and taken away.

import { Button, Input, Link, Select, Tabs } from '@cloudflare/kumo'
import { PlusIcon } from '@phosphor-icons/react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { addressOf } from '../../../app/address.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Page } from '../../../parts/page.tsx'
import { namespacesQuery, tuplePagesQuery } from '../../../parts/tuples/queries.ts'
import { GiveRoleDialog } from './give-role-dialog.tsx'
import { RoleList } from './role-list.tsx'
import { SubjectPanel } from './subject-panel.tsx'

const view = getRouteApi('/permissions/roles')
const PAGE_SIZE = 500
/** Stands for no filter: an empty value would look like a field that nobody has filled in. */
const ANY = '*'

export function RolesPage() {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  const { data: known } = useQuery(namespacesQuery)
  const namespaces = known?.data ?? []
  const filter = search.namespace ? { namespace: search.namespace } : {}
  const query = useInfiniteQuery(tuplePagesQuery(filter, PAGE_SIZE))
  const hrefOf = (subject: string) => addressOf('/permissions/roles', { ...search, subject })

  return (
    <Page
      title="Roles"
      lead="A role is a relation that somebody holds on an object, by a tuple of their own or through a group."
      actions={
        <Button variant="primary" icon={PlusIcon} onClick={() => change({ give: true })}>
          Give role
        </Button>
      }
    >
      <div className="flex flex-wrap items-center gap-3">
        <Tabs
          value={search.group ?? 'subject'}
          onValueChange={next => change({ group: next as typeof search.group, sort: undefined })}
          tabs={[
            { value: 'subject', label: 'By person and group' },
            { value: 'object', label: 'By object' },
          ]}
        />
        <Select
          aria-label="Namespace"
          className="w-44"
          value={search.namespace ?? ANY}
          onValueChange={namespace =>
            change({ namespace: namespace === ANY ? undefined : (namespace ?? undefined) })
          }
          items={[
            { value: ANY, label: 'Any namespace' },
            ...namespaces.map(({ name }) => ({ value: name, label: name })),
          ]}
        />
        <Input
          aria-label="Find"
          placeholder="A person, a group, an object"
          className="w-64 max-w-full"
          value={search.find ?? ''}
          onChange={event => change({ find: event.target.value || undefined })}
        />
        {/* The list has what is loaded; this finds anybody. */}
        {search.find && (
          <Link href={hrefOf(search.find)} className="max-w-72 truncate">
            Open {search.find}
          </Link>
        )}
      </div>
      <Loaded query={query}>
        {({ pages }) => {
          const tuples = pages.flatMap(({ data }) => data)
          return (
            <>
              <RoleList
                group={search.group ?? 'subject'}
                tuples={tuples}
                find={search.find ?? ''}
                selected={search.subject}
                sort={search.sort}
                onSort={sort => change({ sort })}
                hrefOf={hrefOf}
                onGive={() => change({ give: true })}
              />
              {query.hasNextPage && (
                <div className="flex flex-wrap items-center justify-center gap-3">
                  <span className="text-kumo-subtle tabular-nums">
                    From the first {tuples.length.toLocaleString('en')} tuples; there are more.
                  </span>
                  <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                    Load more
                  </Button>
                </div>
              )}
            </>
          )
        }}
      </Loaded>
      {search.subject && (
        <SubjectPanel
          key={search.subject}
          subject={search.subject}
          onGive={() => change({ give: true })}
          onClose={() => change({ subject: undefined })}
        />
      )}
      {search.give && (
        <GiveRoleDialog
          namespaces={namespaces}
          subject={search.subject}
          onClose={() => change({ give: undefined })}
        />
      )}
    </Page>
  )
}
