// A change as a difference: which fields came, went or are another now.

import { Button, cn, LayerCard, Table } from '@cloudflare/kumo'
import { useState } from 'react'
import { type Change, type Difference, differences } from './difference.ts'
import { Value } from './value.tsx'

const MARKS: Record<Change, { sign: string; word: string }> = {
  added: { sign: '+', word: 'added' },
  removed: { sign: '−', word: 'removed' },
  changed: { sign: '~', word: 'changed' },
  same: { sign: '', word: 'unchanged' },
}

export function DifferenceTable({ before, after }: { before: unknown; after: unknown }) {
  const [showsAll, setShowsAll] = useState(false)
  const all = differences(before, after)
  const changed = all.filter(({ change }) => change !== 'same')
  const unchanged = all.length - changed.length
  if (all.length === 0)
    return <p className="text-kumo-subtle">This action has no state before or after to show.</p>
  const shown = showsAll ? all : changed
  // Of what was made there is nothing before, of what was deleted nothing after.
  const columns = (['before', 'after'] as const).filter(name =>
    shown.some(({ [name]: value }) => value !== undefined),
  )
  return (
    <div className="flex flex-col items-start gap-2">
      {shown.length === 0 ? (
        <p className="text-kumo-subtle">No difference: the record stayed the same.</p>
      ) : (
        <LayerCard className="w-full p-0">
          <section
            className="overflow-x-auto"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
            tabIndex={0}
            aria-label="What changed"
          >
            <Table className="[&_td]:py-1.5 [&_td]:align-top [&_th]:py-1.5">
              <Table.Header>
                <Table.Row>
                  <Table.Head>Field</Table.Head>
                  {columns.map(name => (
                    <Table.Head key={name} className="capitalize">
                      {name}
                    </Table.Head>
                  ))}
                </Table.Row>
              </Table.Header>
              <Table.Body>
                {shown.map((difference, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a list has several of one path, in a fixed order
                  <Row key={i} of={difference} columns={columns} />
                ))}
              </Table.Body>
            </Table>
          </section>
        </LayerCard>
      )}
      {unchanged > 0 && (
        <Button size="sm" variant="ghost" onClick={() => setShowsAll(!showsAll)} aria-expanded={showsAll}>
          {showsAll ? 'Only what changed' : `${unchanged} unchanged ${unchanged === 1 ? 'field' : 'fields'}`}
        </Button>
      )}
    </div>
  )
}

const TINTS = { before: 'bg-kumo-danger-tint', after: 'bg-kumo-success-tint' }

function Row({ of, columns }: { of: Difference; columns: readonly ('before' | 'after')[] }) {
  const { sign, word } = MARKS[of.change]
  const isChanged = of.change !== 'same'
  return (
    <Table.Row className={cn(!isChanged && 'text-kumo-subtle')}>
      <Table.Cell className="code-text max-sm:wrap-anywhere sm:whitespace-nowrap">
        <span aria-hidden="true" className="inline-block w-4">
          {sign}
        </span>
        <span className="sr-only">{word}: </span>
        {of.path === '' ? 'value' : of.path}
      </Table.Cell>
      {columns.map(name => (
        <Table.Cell key={name} className={cn(isChanged && of[name] !== undefined && TINTS[name])}>
          <Value of={of[name]} />
        </Table.Cell>
      ))}
    </Table.Row>
  )
}
