// The findings of one check: the largest first, a few at a time.

import { Button, LayerCard } from '@cloudflare/kumo'
import { TerminalWindowIcon } from '@phosphor-icons/react'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { bytesText } from '../../../parts/bytes.ts'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { handOverSql } from '../../../parts/database/handed-sql.ts'
import { Section } from '../../../parts/page.tsx'
import { State, type Tone } from '../../../parts/state.tsx'
import type { Check, Finding } from './queries.ts'

const SHOWN_FIRST = 5

const TONES: Record<Finding['level'], Tone> = { error: 'bad', warning: 'attention', info: 'neutral' }
const LEVELS: Record<Finding['level'], string> = { error: 'Error', warning: 'Warning', info: 'Note' }
const CATEGORIES: Record<Finding['category'], string> = { security: 'Security', performance: 'Performance' }

export function CheckSection({ of: check, findings }: { of: Check; findings: readonly Finding[] }) {
  const [showsAll, setShowsAll] = useState(false)
  const shown = showsAll ? findings : findings.slice(0, SHOWN_FIRST)
  return (
    <Section title={check.title} lead={check.why}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <State tone={TONES[check.level]}>{LEVELS[check.level]}</State>
        <span className="text-kumo-subtle">{CATEGORIES[check.category]}</span>
        <span className="text-kumo-subtle">
          {check.found === 1 ? '1 finding' : `${check.found.toLocaleString('en')} findings`}
          {check.listed < check.found && `, the ${check.listed} largest listed`}
        </span>
      </div>
      <LayerCard className="p-0">
        <ul aria-label={check.title} className="divide-y divide-kumo-hairline">
          {shown.map(finding => (
            <FindingItem key={finding.key} of={finding} />
          ))}
        </ul>
      </LayerCard>
      {shown.length < findings.length && (
        <Button size="sm" className="self-start" onClick={() => setShowsAll(true)}>
          Show all {findings.length}
        </Button>
      )}
    </Section>
  )
}

function FindingItem({ of: finding }: { of: Finding }) {
  const { reason, sql, decide } = finding
  return (
    <li className="flex flex-col gap-1.5 px-4 py-3">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <span className="code-text font-medium wrap-anywhere">{nameOf(finding)}</span>
        <span className="text-kumo-subtle wrap-anywhere">{factsOf(finding)}</span>
      </div>
      <p className="wrap-anywhere">{reason}</p>
      {sql !== null && <Remedy sql={sql} of={finding} />}
      {decide !== null && <p className="text-kumo-subtle wrap-anywhere">{decide}</p>}
    </li>
  )
}

function Remedy({ sql, of: finding }: { sql: string; of: Finding }) {
  const navigate = useNavigate()
  const open = () => {
    handOverSql(sql)
    void navigate({ to: '/database/sql', search: {} })
  }
  const name = nameOf(finding)
  return (
    <>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        aria-label={`SQL for ${name}`}
        className="max-h-48 overflow-y-auto rounded-md bg-kumo-recessed px-2 py-1"
      >
        <pre>
          <code className="whitespace-pre-wrap wrap-anywhere">{sql}</code>
        </pre>
      </section>
      <div className="flex flex-wrap items-center gap-2">
        <CopyButton text={sql} label={`Copy: SQL for ${name}`}>
          Copy
        </CopyButton>
        <Button
          size="sm"
          icon={TerminalWindowIcon}
          onClick={open}
          aria-label={`Open in SQL editor: SQL for ${name}`}
        >
          Open in SQL editor
        </Button>
        {finding.owner !== 'service_role' && (
          <span className="text-kumo-subtle wrap-anywhere">
            Needs the rights of {finding.owner}: put it into a migration.
          </span>
        )}
      </div>
    </>
  )
}

function nameOf({ object: { schema, name, table, column } }: Finding): string {
  if (table !== null) return `${schema}.${name} (${column === null ? table : `${table}.${column}`})`
  return column === null ? `${schema}.${name}` : `${schema}.${name}.${column}`
}

function factsOf({ object, size_bytes: bytes, rows_estimated: rows }: Finding): string {
  return [
    object.kind.replace('_', ' '),
    ...(object.policy === null ? [] : [`policy “${object.policy}”`]),
    ...(object.constraint === null ? [] : [object.constraint]),
    ...(bytes === null ? [] : [bytesText(bytes)]),
    ...(rows === null ? [] : [`about ${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`]),
  ].join(' · ')
}
