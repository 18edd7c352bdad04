// The claims of one token, a row each.

import { Button, Input, LayerCard } from '@cloudflare/kumo'
import { PlusIcon, TrashIcon, WarningIcon } from '@phosphor-icons/react'
import { type ReactNode, useRef } from 'react'
import { Section } from '../../../parts/page.tsx'
import { type ClaimRow, unresolvedIn } from './claim-rows.ts'
import { TemplateField } from './template-field.tsx'

interface ClaimMapProps {
  /** `ID token`, as in a sentence. */
  token: string
  lead: string
  rows: readonly ClaimRow[]
  /** What is wrong, by the row's key. */
  problems: ReadonlyMap<string, string>
  /** Paths that lead to nothing for the person of the preview, and claims that have no room. */
  unresolved: readonly string[]
  tooLarge: readonly string[]
  paths: readonly string[]
  onChange: (rows: readonly ClaimRow[]) => void
}

export function ClaimMap({ token, lead, rows, onChange, ...known }: ClaimMapProps) {
  const place = useRef<HTMLDivElement>(null)
  const add = () => {
    onChange([...rows, { key: crypto.randomUUID(), name: '', template: '' }])
    requestAnimationFrame(() =>
      place.current?.querySelector<HTMLInputElement>('li:last-of-type input')?.focus(),
    )
  }
  return (
    <Section title={token} lead={lead}>
      <div ref={place}>
        <LayerCard className="flex flex-col gap-3 p-4">
          {rows.length === 0 && <p className="text-kumo-subtle">No claims of your own yet.</p>}
          <ul className="flex flex-col gap-3" aria-label={`Claims of the ${token}`}>
            {rows.map((row, i) => (
              <Row
                key={row.key}
                row={row}
                number={i + 1}
                token={token}
                {...known}
                onChange={changed => onChange(rows.with(i, { ...row, ...changed }))}
                onRemove={() => onChange(rows.toSpliced(i, 1))}
              />
            ))}
          </ul>
          <div>
            <Button size="sm" icon={PlusIcon} onClick={add} aria-label={`Add claim to the ${token}`}>
              Add claim
            </Button>
          </div>
        </LayerCard>
      </div>
    </Section>
  )
}

interface RowProps extends Pick<ClaimMapProps, 'problems' | 'unresolved' | 'tooLarge' | 'paths'> {
  row: ClaimRow
  number: number
  token: string
  onChange: (changed: Partial<ClaimRow>) => void
  onRemove: () => void
}

function Row({ row, number, token, problems, unresolved, tooLarge, paths, onChange, onRemove }: RowProps) {
  const problem = problems.get(row.key)
  const missing = unresolvedIn(row.template, unresolved)
  const what = row.name || `claim ${number}`
  return (
    <li className="flex flex-col gap-1">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto]">
        <Input
          aria-label={`Name of claim ${number} of the ${token}`}
          aria-invalid={problem !== undefined}
          placeholder="name"
          value={row.name}
          onChange={event => onChange({ name: event.target.value })}
          variant={problem === undefined ? 'default' : 'error'}
          autoComplete="off"
          spellCheck={false}
          className="w-full code-text!"
        />
        <div className="col-span-2 row-start-2 sm:col-span-1 sm:row-start-auto [&_label]:sr-only">
          <TemplateField
            label={`Template of ${what} of the ${token}`}
            value={row.template}
            paths={paths}
            onChange={template => onChange({ template })}
          />
        </div>
        <Button
          variant="ghost"
          shape="square"
          icon={TrashIcon}
          aria-label={`Remove ${what} of the ${token}`}
          className="col-start-2 row-start-1 sm:col-start-3"
          onClick={onRemove}
        />
      </div>
      {problem !== undefined && (
        <p role="alert" className="text-sm text-kumo-danger wrap-anywhere">
          {problem}
        </p>
      )}
      {problem === undefined && missing.length > 0 && (
        <Notice>
          {missing.map(path => `{{${path}}}`).join(', ')} has no value for this person: left out.
        </Notice>
      )}
      {problem === undefined && tooLarge.includes(row.name) && (
        <Notice>Too large for this person: left out.</Notice>
      )}
    </li>
  )
}

function Notice({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-start gap-1.5 text-sm text-kumo-subtle">
      <WarningIcon weight="fill" aria-hidden="true" className="mt-1 shrink-0 text-kumo-warning" />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </p>
  )
}
