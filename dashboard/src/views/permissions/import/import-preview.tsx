// What a file holds, before anything is sent: what would be written, and what is wrong with the rest.

import { Button, Switch } from '@cloudflare/kumo'
import { useMemo, useState } from 'react'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { State } from '../../../parts/state.tsx'
import type { Namespace } from '../../../parts/tuples/declared-names.ts'
import { PACKET_SIZE } from '../../../parts/tuples/queries.ts'
import { MarkedText } from '../../../parts/tuples/tuple-field.tsx'
import { type ImportEntry, type ReadImport, readImport } from './read-import.ts'

const COLUMNS = (kind: ReadImport['kind']): Column<ImportEntry>[] => [
  {
    id: 'number',
    head: kind === 'lines' ? 'Line' : 'Entry',
    align: 'right',
    className: 'w-16',
    cell: ({ number }) => number.toLocaleString('en'),
    sortBy: ({ number }) => number,
  },
  {
    id: 'tuple',
    head: 'Tuple',
    cell: ({ text, mistake }) =>
      mistake === undefined ? (
        <code className="wrap-anywhere">{text}</code>
      ) : (
        <>
          <MarkedText text={text} mistake={mistake} />
          <span className="block wrap-anywhere">{mistake.problem}</span>
        </>
      ),
  },
  {
    id: 'state',
    head: 'State',
    className: 'w-px whitespace-nowrap',
    isSecondary: true,
    cell: ({ mistake, sameAs }) => {
      if (mistake !== undefined) return <State tone="bad">wrong</State>
      if (sameAs !== undefined) return <State tone="attention">the same as {sameAs}</State>
      return <State tone="good">good</State>
    },
    sortBy: ({ mistake, sameAs }) => (mistake !== undefined ? 0 : sameAs !== undefined ? 1 : 2),
  },
]

export function ImportPreview({
  file,
  namespaces,
  onStart,
  onBack,
}: {
  file: { name: string; text: string }
  namespaces: readonly Namespace[]
  onStart: (entries: ImportEntry[], file: { kind: ReadImport['kind']; leftOut: number }) => void
  onBack: () => void
}) {
  const { kind, entries } = useMemo(() => readImport(file.text, namespaces), [file.text, namespaces])
  const columns = useMemo(() => COLUMNS(kind), [kind])
  const good = entries.filter(({ tuple }) => tuple !== undefined)
  const bad = entries.length - good.length
  const repeated = good.filter(({ sameAs }) => sameAs !== undefined).length
  const [onlyBad, setOnlyBad] = useState(bad > 0)
  const shown = onlyBad ? entries.filter(({ mistake }) => mistake !== undefined) : entries
  const packets = Math.ceil(good.length / PACKET_SIZE)
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2 tabular-nums" role="status">
        <State tone="good">{count(good.length, 'tuple')} to import</State>
        {repeated > 0 && <State tone="attention">{repeated.toLocaleString('en')} twice in the file</State>}
        {bad > 0 && (
          <State tone="bad">
            {kind === 'lines' ? count(bad, 'bad line') : count(bad, 'bad entry', 'bad entries')}
          </State>
        )}
        {bad > 0 && (
          <Switch
            label="Only invalid entries"
            checked={onlyBad}
            onCheckedChange={setOnlyBad}
            className="ml-auto"
          />
        )}
      </div>
      {entries.length === 0 ? (
        <p className="text-kumo-subtle">The file holds no tuple.</p>
      ) : (
        <DataTable
          label="What the file holds"
          columns={columns}
          rows={shown}
          rowKey={({ number }) => String(number)}
        />
      )}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="w-full text-kumo-subtle">
          {bad > 0 && 'Invalid entries are skipped. '}
          {packets > 1 && `Sent in ${packets} packets of ${PACKET_SIZE}, each all or none.`}
        </p>
        <Button onClick={onBack}>Choose another file</Button>
        <Button
          variant="primary"
          disabled={good.length === 0}
          onClick={() => onStart(good, { kind, leftOut: bad })}
        >
          Import {count(good.length, 'tuple')}
        </Button>
      </div>
    </>
  )
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`
}
