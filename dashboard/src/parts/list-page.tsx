// A view that is one list: a field to search it, filters beside it, and words for when nothing is shown.

import { Button, Empty, Input } from '@cloudflare/kumo'
import { type Icon, PlusIcon } from '@phosphor-icons/react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Loaded } from './loaded.tsx'
import { Page } from './page.tsx'

interface ListPageProps<Data, Row> {
  title: string
  lead: string
  /** How a row is made: a button above the list, and in it while it has no rows. `dialog` is what it opens, if open. */
  create?: { action: string; onOpen: () => void; dialog: ReactNode }
  /** In place of `create` where a page of its own makes a row. */
  actions?: ReactNode
  icon: Icon
  /** Of one row and of several: `key`, `keys`. */
  nouns: readonly [one: string, several: string]
  query: UseQueryResult<Data>
  rowsOf: (data: Data) => readonly Row[]
  /** What a row is found by; each word that was typed must be in it. `placeholder` names the same. */
  textOf: (row: Row) => string
  placeholder: string
  search: string | undefined
  onSearch: (text: string | undefined) => void
  filters?: ReactNode
  /** What the filters leave, and how to take them off. */
  isShown?: (row: Row) => boolean
  onShowAll: () => void
  /** For a list that has no rows at all: what they are for, and how to make one. */
  whenNone: { description: string; contents?: ReactNode }
  children: (shown: readonly Row[], data: Data) => ReactNode
}

export function ListPage<Data, Row>(props: ListPageProps<Data, Row>) {
  const { title, lead, create, nouns, query, rowsOf, textOf, search = '', isShown, children } = props
  const [one, several] = nouns
  const words = search.toLowerCase().split(/\s+/)
  const isFound = (row: Row) => {
    const text = textOf(row).toLowerCase()
    return words.every(word => text.includes(word))
  }
  const button = create !== undefined && (
    <Button variant="primary" icon={PlusIcon} onClick={create.onOpen}>
      {create.action}
    </Button>
  )
  return (
    <Page title={title} lead={lead} actions={button || props.actions}>
      <div className="flex flex-wrap items-center gap-4">
        <Input
          type="search"
          aria-label={`Search ${several}`}
          placeholder={props.placeholder}
          value={search}
          onChange={event => props.onSearch(event.target.value || undefined)}
          className="w-80 max-w-full"
        />
        {props.filters}
      </div>
      <Loaded query={query}>
        {data => {
          const rows = rowsOf(data)
          const shown = rows.filter(row => isFound(row) && (isShown?.(row) ?? true))
          if (shown.length > 0) return children(shown, data)
          const icon = <props.icon size={40} />
          if (rows.length === 0)
            return <Empty icon={icon} title={`No ${several} yet`} contents={button} {...props.whenNone} />
          return (
            <Empty
              icon={icon}
              title={`No ${one} matches`}
              description={`There ${rows.length === 1 ? `is 1 ${one}` : `are ${rows.length} ${several}`} in all.`}
              contents={<Button onClick={props.onShowAll}>Show all {several}</Button>}
            />
          )
        }}
      </Loaded>
      {create?.dialog}
    </Page>
  )
}
