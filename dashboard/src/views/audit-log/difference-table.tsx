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
  return (
    <div className="flex flex-col items-start gap-2">
      {shown.length === 0 ? (
        <p className="text-kumo-subtle">Nothing is different: the record stayed as it was.</p>
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
                  <Table.Head>Before</Table.Head>
                  <Table.Head>After</Table.Head>
                </Table.Row>
              </Table.Header>
              <Table.Body>
                {shown.map((difference, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a list has several of one path, in a fixed order
                  <Row key={i} of={difference} />
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

function Row({ of: { path, change, before, after } }: { of: Difference }) {
  const { sign, word } = MARKS[change]
  const isChanged = change !== 'same'
  return (
    <Table.Row className={cn(!isChanged && 'text-kumo-subtle')}>
      <Table.Cell className="whitespace-nowrap font-mono text-[13px]">
        <span aria-hidden="true" className="inline-block w-4">
          {sign}
        </span>
        <span className="sr-only">{word}: </span>
        {path === '' ? 'value' : path}
      </Table.Cell>
      <Table.Cell className={cn(isChanged && before !== undefined && 'bg-kumo-danger-tint')}>
        <Value of={before} />
      </Table.Cell>
      <Table.Cell className={cn(isChanged && after !== undefined && 'bg-kumo-success-tint')}>
        <Value of={after} />
      </Table.Cell>
    </Table.Row>
  )
}
