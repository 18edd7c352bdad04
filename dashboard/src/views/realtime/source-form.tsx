// What is listened to: a table of the served schemas, or a topic by its name.

import { Button, Checkbox, Input, Select, Tabs } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { tablesQuery } from '../../parts/database/tables-query.ts'
import type { Source } from './listen.tsx'

/** `topics` are those that somebody has joined now. */
export function SourceForm({
  source,
  topics,
  onListen,
}: {
  source: Source | undefined
  topics: readonly string[]
  onListen: (source: Source) => void
}) {
  const [kind, setKind] = useState<Source['kind']>(source?.kind ?? 'table')
  return (
    <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
      <Tabs
        tabs={[
          { value: 'table', label: 'Changes of a table' },
          { value: 'topic', label: 'A topic' },
        ]}
        value={kind}
        onValueChange={value => setKind(value === 'topic' ? 'topic' : 'table')}
      />
      {kind === 'table' ? (
        <TableField chosen={source?.kind === 'table' ? source : undefined} onListen={onListen} />
      ) : (
        <TopicForm
          chosen={source?.kind === 'topic' ? source : undefined}
          topics={topics}
          onListen={onListen}
        />
      )}
    </div>
  )
}

/** Not an empty text: the select takes that for a question that nobody has answered, and writes it in grey. */
const NONE = 'none'

type Listened = { onListen: (source: Source) => void }

function TableField({
  chosen,
  onListen,
}: Listened & { chosen: Extract<Source, { kind: 'table' }> | undefined }) {
  const { data } = useQuery(tablesQuery)
  const tables = (data?.tables ?? []).filter(({ kind }) => kind === 'table' || kind === 'partitioned_table')
  const items = Object.fromEntries(
    tables.map(({ schema, name }) => [`${schema}.${name}`, `${schema}.${name}`]),
  )
  return (
    <Select
      aria-label="Table"
      className="w-72 max-w-full"
      value={chosen === undefined ? NONE : `${chosen.schema}.${chosen.name}`}
      items={chosen === undefined ? { [NONE]: 'Choose a table', ...items } : items}
      onValueChange={value => {
        const table = tables.find(({ schema, name }) => `${schema}.${name}` === value)
        if (table !== undefined) onListen({ kind: 'table', schema: table.schema, name: table.name })
      }}
    />
  )
}

function TopicForm({
  chosen,
  topics,
  onListen,
}: Listened & { chosen: Extract<Source, { kind: 'topic' }> | undefined; topics: readonly string[] }) {
  const [topic, setTopic] = useState(chosen?.topic ?? '')
  const [isPrivate, setPrivate] = useState(chosen?.isPrivate ?? false)
  const listId = useId()
  return (
    <form
      className="flex flex-wrap items-center gap-x-4 gap-y-2"
      onSubmit={event => {
        event.preventDefault()
        if (topic.trim() !== '') onListen({ kind: 'topic', topic: topic.trim(), isPrivate })
      }}
    >
      <Input
        aria-label="Topic"
        placeholder="room-1, without realtime:"
        value={topic}
        list={listId}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        onChange={event => setTopic(event.target.value)}
        className="w-64 max-w-full"
      />
      <datalist id={listId}>
        {topics.map(each => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <Checkbox label="Private" checked={isPrivate} onCheckedChange={setPrivate} />
      <Button type="submit" disabled={topic.trim() === ''}>
        Listen
      </Button>
    </form>
  )
}
