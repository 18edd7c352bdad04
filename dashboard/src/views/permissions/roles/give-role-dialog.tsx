// A role for somebody: a tuple, put together from its parts.

import { Select } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { toasts } from '../../../parts/toasts.ts'
import type { Namespace } from '../../../parts/tuples/declared-names.ts'
import { tuplesQuery, writeTuple } from '../../../parts/tuples/queries.ts'
import { SuggestedInput } from '../../../parts/tuples/suggested-input.tsx'
import { parseSubject, printSubject, printTuple, type Tuple } from '../../../parts/tuples/tuple-text.ts'
import { subjectWords, typeWords } from '../../../parts/tuples/words.ts'

export function GiveRoleDialog({
  namespaces,
  subject,
  onClose,
}: {
  namespaces: readonly Namespace[]
  subject: string | undefined
  onClose: () => void
}) {
  const withRoles = namespaces.filter(({ relations }) => relations.length > 0)
  const [draft, setDraft] = useState({ subject: subject ?? '', namespace: '', object: '', relation: '' })
  const change = (changed: Partial<typeof draft>) => setDraft({ ...draft, ...changed })
  const namespace = withRoles.find(({ name }) => name === draft.namespace) ?? withRoles[0]
  const relations = namespace?.relations.filter(({ declared }) => declared) ?? []
  const relation = relations.find(({ name }) => name === draft.relation) ?? relations[0]
  const { data: all } = useQuery(tuplesQuery({}))
  const { data: ofNamespace } = useQuery({
    ...tuplesQuery({ namespace: namespace?.name }),
    enabled: namespace !== undefined,
  })
  const tuple: Tuple = {
    namespace: namespace?.name ?? '',
    object: draft.object,
    relation: relation?.name ?? '',
    ...parseSubject(draft.subject.trim()),
  }
  const isWhole = draft.subject.trim() !== '' && draft.object !== ''
  return (
    <FormDialog
      title="Give role"
      action="Give role"
      mayGo={isWhole}
      onSubmit={async () => {
        const { created } = await writeTuple(tuple)
        const role = `${tuple.relation} of ${tuple.object}`
        toasts.add(
          created
            ? { title: `${role} is given`, variant: 'success' }
            : { title: `${subjectWords(tuple)} had ${role} already`, variant: 'info' },
        )
      }}
      onClose={onClose}
    >
      {() => (
        <>
          <SuggestedInput
            label="Who"
            description="An id, or a group as Organization:acme#member."
            placeholder="alice"
            value={draft.subject}
            onChange={next => change({ subject: next })}
            items={[...new Set(all?.data.map(printSubject))].sort()}
          />
          <div className="grid items-start gap-4 sm:grid-cols-2">
            <Select
              label="Namespace"
              className="w-full"
              value={namespace?.name ?? ''}
              onValueChange={name => change({ namespace: name ?? '', object: '', relation: '' })}
              items={withRoles.map(({ name }) => ({ value: name, label: name }))}
            />
            <Select
              label="Role"
              className="w-full"
              description={
                relation && relation.types.length > 0
                  ? `For ${relation.types.map(typeWords).join(', or ')}`
                  : undefined
              }
              value={relation?.name ?? ''}
              onValueChange={name => change({ relation: name ?? '' })}
              items={relations.map(({ name }) => ({ value: name, label: name }))}
            />
          </div>
          <SuggestedInput
            label="Object"
            placeholder="apollo"
            value={draft.object}
            onChange={object => change({ object })}
            items={[...new Set(ofNamespace?.data.map(({ object }) => object))].sort()}
          />
          {isWhole && (
            <p className="text-kumo-subtle wrap-anywhere">
              Adds the tuple <code className="text-kumo-default">{printTuple(tuple)}</code>
            </p>
          )}
        </>
      )}
    </FormDialog>
  )
}
