// The object that is asked about, with those that the tuples know.

import { Button, LinkButton, Select, Text } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schema } from '../../../api/schema.ts'
import { Loaded, Outline } from '../../../parts/loaded.tsx'
import { namespacesQuery, tuplesQuery } from '../../../parts/tuples/queries.ts'
import { accessHref } from '../../../parts/tuples/subject-link.tsx'
import { SuggestedInput } from '../../../parts/tuples/suggested-input.tsx'
import type { ObjectName } from './queries.ts'

type Namespace = Schema<'NamespaceList'>['data'][number]

const OFFERED_MAX = 12

interface ObjectFormProps {
  asked: ObjectName
  onAsk: (object: ObjectName) => void
}

export function ObjectForm(props: ObjectFormProps) {
  const query = useQuery(namespacesQuery)
  return (
    <Loaded query={query} outline={<Outline rows={1} />}>
      {({ data }) => <Form {...props} namespaces={data} />}
    </Loaded>
  )
}

function Form({ asked, onAsk, namespaces }: ObjectFormProps & { namespaces: readonly Namespace[] }) {
  const [draft, setDraft] = useState(asked)
  // What most people ask about is what has the most relations: a project, not a user.
  const fullest = [...namespaces].sort((a, b) => weight(b) - weight(a))[0]
  const namespace = draft.namespace || (fullest?.name ?? '')
  const { data: page } = useQuery({ ...tuplesQuery({ namespace }), enabled: namespace !== '' })
  const objects = [...new Set((page?.data ?? []).map(({ object }) => object))].sort()
  const ask = (object: string) => {
    if (namespace !== '' && object !== '') onAsk({ namespace, object })
  }
  return (
    <div className="flex flex-col gap-4">
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={event => {
          event.preventDefault()
          ask(draft.object)
        }}
      >
        <Select
          label="Namespace"
          className="w-44"
          value={namespace}
          onValueChange={value => setDraft({ namespace: value ?? '', object: '' })}
          items={[...new Set([...namespaces.map(({ name }) => name), namespace])]
            .filter(Boolean)
            .map(name => ({ value: name, label: name }))}
        />
        <div className="w-80 max-w-full">
          <SuggestedInput
            label="Object"
            placeholder="apollo"
            value={draft.object}
            onChange={object => setDraft({ namespace, object })}
            onPick={ask}
            items={objects}
          />
        </div>
        <Button type="submit" disabled={draft.object === ''}>
          Show access
        </Button>
      </form>
      {asked.object === '' && objects.length > 0 && (
        <div className="flex flex-col gap-2">
          <Text variant="secondary" as="h2">
            Objects in {namespace}
          </Text>
          <ul className="flex flex-wrap gap-2">
            {objects.slice(0, OFFERED_MAX).map(object => (
              <li key={object} className="max-w-full">
                <LinkButton
                  size="sm"
                  variant="secondary"
                  href={accessHref({ namespace, object })}
                  className="max-w-full"
                >
                  <span className="max-w-72 truncate">{object}</span>
                </LinkButton>
              </li>
            ))}
          </ul>
        </div>
      )}
      {asked.object === '' && page !== undefined && objects.length === 0 && (
        <p className="text-kumo-subtle">
          No tuple names an object of {namespace} yet. Tuples are added and imported under Permissions.
        </p>
      )}
    </div>
  )
}

function weight({
  relations,
  permits,
}: {
  relations: readonly unknown[]
  permits: readonly unknown[]
}): number {
  return relations.length + 10 * permits.length
}
