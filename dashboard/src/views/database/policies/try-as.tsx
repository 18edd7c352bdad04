// Runs a query as somebody else, and shows beside each row the policies that let it pass.

import { Button, Tabs } from '@cloudflare/kumo'
import { PlayIcon } from '@phosphor-icons/react'
import { useMutation } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { CodeEditor, JsonView } from '../../../parts/code-editor.tsx'
import { Expression } from '../../../parts/database/access.tsx'
import { AnswerGrid, answerColumn } from '../../../parts/database/answer-grid.tsx'
import type { GridColumn } from '../../../parts/database/value-grid.tsx'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { IdentityField } from '../../../parts/identity-field.tsx'
import { Section } from '../../../parts/page.tsx'
import { State } from '../../../parts/state.tsx'
import { MARK_WORDS } from './mark-words.ts'
import { type Tried, type TryAs as TryAsBody, tryAs } from './queries.ts'

type Kind = TryAsBody['as']['kind']

export function TryAs({
  kind,
  person,
  onKind,
  onPerson,
}: {
  kind: Kind
  person: string | undefined
  onKind: (kind: Kind) => void
  onPerson: (id: string) => void
}) {
  const [sql, setSql] = useState('')
  const [claims, setClaims] = useState('{\n  "sub": ""\n}')
  const run = useMutation({ mutationFn: async () => tryAs({ sql, as: callerOf(kind, person, claims) }) })
  const canRun = sql.trim() !== '' && (kind !== 'identity' || Boolean(person))
  const go = () => {
    if (canRun && !run.isPending) run.mutate()
  }
  return (
    <>
      <Section
        title="As whom"
        lead="The query runs as the role anon, reads only, for 2 s and 100 rows. The audit log keeps it and the claims."
      >
        <Tabs
          tabs={[
            { value: 'anon', label: 'Nobody signed in' },
            { value: 'identity', label: 'A person' },
            { value: 'claims', label: 'These claims' },
          ]}
          value={kind}
          onValueChange={next => onKind(next as Kind)}
        />
        {kind === 'identity' && (
          <>
            <IdentityField key={person} label="Person" action="Choose" chosen={person} onChoose={onPerson} />
            <p className="max-w-[75ch] text-kumo-subtle">
              With the claims that an access token of theirs has now, but for its client.
            </p>
          </>
        )}
        {kind === 'claims' && (
          <CodeEditor label="Claims" language="json" value={claims} onChange={setClaims} onSubmit={go} />
        )}
      </Section>
      <Section title="Query">
        <CodeEditor
          label="Query"
          language="sql"
          value={sql}
          onChange={setSql}
          onSubmit={go}
          hint="select * from …    Ctrl or Cmd Enter runs it"
          className="max-h-[30vh] [&_.cm-content]:min-h-20!"
        />
        <div>
          <Button variant="primary" icon={PlayIcon} disabled={!canRun} loading={run.isPending} onClick={go}>
            Run as {WHO[kind]}
          </Button>
        </div>
      </Section>
      <div aria-live="polite" className="flex flex-col gap-6">
        <ErrorNotice error={run.error} />
        {run.error === null && run.data !== undefined && <Answer of={run.data} />}
      </div>
    </>
  )
}

const WHO: Readonly<Record<Kind, string>> = { anon: 'nobody', identity: 'the person', claims: 'the claims' }

/** Throws for claims that are no JSON object. */
function callerOf(kind: Kind, person: string | undefined, claims: string): TryAsBody['as'] {
  if (kind === 'anon') return { kind }
  if (kind === 'identity') return { kind, identity_id: person ?? '' }
  let value: unknown
  try {
    value = JSON.parse(claims)
  } catch (err) {
    throw new Error(`The claims are no JSON: ${err instanceof Error ? err.message : ''}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('The claims must be a JSON object, as {"sub": "..."}.')
  return { kind, claims: value as Record<string, unknown> }
}

interface MarkedRow {
  values: Tried['result']['rows'][number]
  policies: readonly string[] | null | undefined
}

function Answer({ of: tried }: { of: Tried }) {
  const { result, marks, policies, row_policies: rowPolicies, claims, table } = tried
  const columns = useMemo(() => gridColumns(tried), [tried])
  const rows = useMemo(
    () => result.rows.map((values, i): MarkedRow => ({ values, policies: rowPolicies[i] })),
    [result, rowPolicies],
  )
  return (
    <>
      <Section title="Rows" lead={`${rowCountWords(tried)} ${MARK_WORDS[marks]}`}>
        <AnswerGrid label="Rows" columns={columns} rows={rows} />
      </Section>
      {policies.length > 0 && (
        <Section
          title="Policies asked"
          lead={`Those of ${table?.schema}.${table?.table} that hold for anon.`}
        >
          <ul aria-label="Policies asked" className="flex flex-col gap-3">
            {policies.map(({ name, permissive, using, error }) => (
              <li key={name}>
                <p>
                  <span className="font-medium wrap-anywhere">{name}</span>{' '}
                  <span className="text-kumo-subtle">
                    {permissive ? 'lets rows pass' : 'must hold as well'}
                    {error === null && `, holds for ${countOf(rowPolicies, name)} of ${rows.length}`}
                  </span>
                </p>
                <Expression words="where" text={using} />
                {error !== null && (
                  <State tone="attention">
                    <span className="whitespace-normal">
                      Could not be evaluated as this caller: {error.message}
                    </span>
                  </State>
                )}
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Claims used">
        <JsonView label="Claims used" value={claims} />
      </Section>
    </>
  )
}

function rowCountWords({ result: { rows, truncated } }: Tried): string {
  const words = `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`
  return truncated ? `The first ${words}; there are more.` : `${words}.`
}

function gridColumns({ result, marks }: Tried): GridColumn<MarkedRow>[] {
  const own = result.columns.map(column => answerColumn<MarkedRow>(column, ({ values }) => values))
  if (marks !== 'made') return own
  const marked: GridColumn<MarkedRow> = {
    name: 'Policies that hold',
    type: 'for this row',
    text: ({ policies }) => policiesText(policies),
  }
  return [marked, ...own]
}

function policiesText(policies: MarkedRow['policies']): string {
  if (!policies) return 'could not be asked'
  return policies.length === 0 ? 'none when asked again' : policies.join(', ')
}

function countOf(rowPolicies: Tried['row_policies'], name: string): number {
  return rowPolicies.filter(names => names?.includes(name)).length
}
