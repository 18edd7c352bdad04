// Relation tuples: browsed, added, imported, deleted; and what the permission server answers because of them.

import { Button } from '@cloudflare/kumo'
import { PlusIcon, QuestionIcon, UploadSimpleIcon } from '@phosphor-icons/react'
import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../parts/page.tsx'
import type { TupleFilter } from '../../parts/tuples/queries.ts'
import { AddTupleDialog } from './add-tuple-dialog.tsx'
import { CheckPanel } from './check-panel.tsx'
import { ImportDialog } from './import/import-dialog.tsx'
import { TupleFilters } from './tuple-filters.tsx'
import { TupleList } from './tuple-list.tsx'

const view = getRouteApi('/permissions')

export function PermissionsPage() {
  const search = view.useSearch()
  const navigate = view.useNavigate()
  const change = (changed: Partial<typeof search>) =>
    navigate({ search: { ...search, ...changed }, replace: true })
  const filter = filterOf(search)

  return (
    <Page
      title="Permissions"
      lead="Relation tuples say who has which relation to which object. Every check follows from them."
      actions={
        <>
          <Button icon={QuestionIcon} onClick={() => change({ check: true })}>
            Check permission
          </Button>
          <Button icon={UploadSimpleIcon} onClick={() => change({ import: true })}>
            Import tuples
          </Button>
          <Button variant="primary" icon={PlusIcon} onClick={() => change({ add: true })}>
            Add tuple
          </Button>
        </>
      }
    >
      {/* A filter that came by another way, as a link, is what the fields begin with. */}
      <TupleFilters key={JSON.stringify(filter)} filter={filter} onChange={change} />
      <TupleList
        key={`list ${JSON.stringify(filter)}`}
        filter={filter}
        sort={search.sort}
        onSort={sort => change({ sort })}
        onAdd={() => change({ add: true })}
        onImport={() => change({ import: true })}
      />
      {search.add && <AddTupleDialog filter={filter} onClose={() => change({ add: undefined })} />}
      {search.import && <ImportDialog onClose={() => change({ import: undefined })} />}
      {search.check && (
        <CheckPanel
          asked={search.ask}
          onAsk={ask => change({ ask })}
          onClose={() => change({ check: undefined, ask: undefined })}
        />
      )}
    </Page>
  )
}

/** An empty field filters nothing. */
function filterOf({ namespace, object, relation, subject }: TupleFilter): TupleFilter {
  return {
    ...(namespace && { namespace }),
    ...(object && { object }),
    ...(relation && { relation }),
    ...(subject && { subject }),
  }
}
