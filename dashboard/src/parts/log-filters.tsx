// The filters of a log, as they stand in the address: those that are used often, and more on demand.

import { Button } from '@cloudflare/kumo'
import { type ReactNode, useState } from 'react'

type SetValues<Search, Name extends keyof Search> = { [N in Name]?: Exclude<Search[N], '' | undefined> }

/** Those that are set: an empty text is none, and the API refuses it. */
export function setValues<Search extends object, Name extends keyof Search>(
  search: Search,
  names: readonly Name[],
): SetValues<Search, Name> {
  const set = names.filter(name => Boolean(search[name]))
  return Object.fromEntries(set.map(name => [name, search[name]])) as SetValues<Search, Name>
}

/** `more` are shown on demand, and at first when one of `rare` is set. "Clear" empties all `names`. */
export function LogFilters<Search extends object>({
  search,
  names,
  rare,
  more,
  onChange,
  children,
}: {
  search: Search
  names: readonly (keyof Search)[]
  rare: readonly (keyof Search)[]
  more: ReactNode
  onChange: (changed: Partial<Record<keyof Search, undefined>>) => void
  children: ReactNode
}) {
  const isSet = (name: keyof Search) => Boolean(search[name])
  const [isOpen, setOpen] = useState(() => rare.some(isSet))
  const clear = () =>
    onChange(Object.fromEntries(names.map(name => [name, undefined])) as Record<keyof Search, undefined>)
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 items-end gap-3 lg:grid-cols-4">
        {children}
        <div className="flex flex-wrap gap-2 max-lg:col-span-2">
          <Button variant="ghost" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Fewer filters' : 'More filters'}
          </Button>
          {names.some(isSet) && (
            <Button variant="ghost" onClick={clear}>
              Clear
            </Button>
          )}
        </div>
      </div>
      {isOpen && <div className="grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-4">{more}</div>}
    </div>
  )
}
