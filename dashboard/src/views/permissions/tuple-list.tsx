// The tuples that a filter finds, page by page; those that are chosen can be deleted together.

import { Button, Empty, Link } from '@cloudflare/kumo'
import { LockKeyIcon, PlusIcon, TrashIcon, UploadSimpleIcon } from '@phosphor-icons/react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { choiceColumn } from '../../parts/choice-column.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { type TupleFilter, tuplePagesQuery } from '../../parts/tuples/queries.ts'
import { RemoveTuplesDialog } from '../../parts/tuples/remove-dialog.tsx'
import { ObjectLink, SubjectLink } from '../../parts/tuples/subject-link.tsx'
import { printSubject, printTuple, type Tuple } from '../../parts/tuples/tuple-text.ts'

export function TupleList({
  filter,
  sort,
  onSort,
  onAdd,
  onImport,
}: {
  filter: TupleFilter
  sort: string | undefined
  onSort: (sort: string | undefined) => void
  onAdd: () => void
  onImport: () => void
}) {
  const query = useInfiniteQuery(tuplePagesQuery(filter))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isDeleting, setDeleting] = useState(false)
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const shown = distinct(pages.flatMap(({ data }) => data))
        const selected = shown.filter(tuple => chosen.has(printTuple(tuple)))
        if (shown.length === 0)
          return <NoTuples isFiltered={Object.keys(filter).length > 0} onAdd={onAdd} onImport={onImport} />
        return (
          <div className="flex flex-col gap-3">
            <div className="flex min-h-9 flex-wrap items-center gap-3">
              <span role="status" className="text-kumo-subtle tabular-nums">
                {countWords(shown.length, selected.length, query.hasNextPage)}
              </span>
              {selected.length > 0 && (
                <>
                  <Button
                    size="sm"
                    variant="secondary-destructive"
                    icon={TrashIcon}
                    onClick={() => setDeleting(true)}
                  >
                    Delete selected
                  </Button>
                  <Button size="sm" variant="ghost" onClick={() => setChosen(new Set())}>
                    Clear selection
                  </Button>
                </>
              )}
              <Link href="/audit-log?target_kind=relation_tuples" className="ml-auto">
                What was changed, in the audit log
              </Link>
            </div>
            <TupleTable tuples={shown} chosen={chosen} onChoose={setChosen} sort={sort} onSort={onSort} />
            {query.hasNextPage && (
              <Button
                className="self-center"
                loading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                Load more
              </Button>
            )}
            {isDeleting && (
              <RemoveTuplesDialog
                tuples={selected}
                onRemoved={() => setChosen(new Set())}
                onClose={() => setDeleting(false)}
              />
            )}
          </div>
        )
      }}
    </Loaded>
  )
}

function TupleTable({
  tuples,
  chosen,
  onChoose,
  sort,
  onSort,
}: {
  tuples: readonly Tuple[]
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
  sort: string | undefined
  onSort: (sort: string | undefined) => void
}) {
  const columns = useMemo((): Column<Tuple>[] => {
    return [
      choiceColumn({ rows: tuples, keyOf: printTuple, labelOf: printTuple, chosen, onChoose }),
      {
        id: 'object',
        head: 'Object',
        className: 'max-w-40 md:max-w-80',
        sortBy: ({ namespace, object }) => `${namespace}:${object}`.toLowerCase(),
        cell: tuple => <ObjectLink of={tuple} />,
      },
      { id: 'relation', head: 'Relation', cell: tuple => tuple.relation, sortBy: tuple => tuple.relation },
      {
        id: 'subject',
        head: 'Subject',
        className: 'max-w-40 md:max-w-80',
        sortBy: tuple => printSubject(tuple).toLowerCase(),
        cell: tuple => <SubjectLink text={printSubject(tuple)} />,
      },
    ]
  }, [tuples, chosen, onChoose])
  return (
    <DataTable
      label="Relation tuples"
      columns={columns}
      rows={tuples}
      rowKey={printTuple}
      sort={sort}
      onSort={onSort}
    />
  )
}

function NoTuples({
  isFiltered,
  onAdd,
  onImport,
}: {
  isFiltered: boolean
  onAdd: () => void
  onImport: () => void
}) {
  return (
    <Empty
      icon={<LockKeyIcon size={40} />}
      title={isFiltered ? 'No tuple matches' : 'No tuples yet'}
      description={
        isFiltered
          ? 'Filters are exact: the whole object, the whole subject.'
          : 'Project:apollo#owner@alice makes alice an owner of apollo, and checks say so at once.'
      }
      contents={
        <div className="flex flex-wrap justify-center gap-2">
          <Button icon={PlusIcon} onClick={onAdd}>
            Add tuple
          </Button>
          <Button icon={UploadSimpleIcon} onClick={onImport}>
            Import tuples
          </Button>
        </div>
      }
    />
  )
}

function countWords(shown: number, chosen: number, hasMore: boolean): string {
  const all = shown.toLocaleString('en')
  if (chosen > 0) return `${chosen.toLocaleString('en')} of ${all} chosen`
  return `${all} ${shown === 1 ? 'tuple' : 'tuples'}${hasMore ? ', and there are more' : ''}`
}

/** The permission server may hold copies, and a page may shift while others write. */
function distinct(tuples: readonly Tuple[]): Tuple[] {
  return [...new Map(tuples.map(tuple => [printTuple(tuple), tuple])).values()]
}
