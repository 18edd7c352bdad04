// One part of the token: its colour and name, and what it says.

import { cn, LayerCard } from '@cloudflare/kumo'
import type { ReactNode } from 'react'
import { parseExactly } from '../../../parts/exact-json.ts'
import type { Claims, PartName } from '../../../parts/jwt.ts'
import { ownValue } from '../../../parts/own-value.ts'
import { Time, wholeTime } from '../../../parts/time.tsx'
import { timeOf } from './lifetime.ts'
import { PART_LOOKS, PARTS } from './part-looks.ts'
import { Row } from './row.tsx'
import { shownText } from './shown-text.ts'
import { TIME_CLAIMS } from './words.ts'

export function PartCard({ part, children }: { part: PartName; children: ReactNode }) {
  const { name, text, line } = PART_LOOKS[part]
  return (
    <LayerCard className={cn('border-l-3 p-0', line)} render={<section aria-label={name} />}>
      <h2 className={cn('border-b border-kumo-hairline px-4 py-2 font-semibold', text)}>
        {`${PARTS.indexOf(part) + 1}. ${name}`}
      </h2>
      {children}
    </LayerCard>
  )
}

/** Each field with what it means, in the order of the token. `json`: the same fields, with each number as it stands. */
export function FieldList({
  of: fields,
  json,
  words,
}: {
  of: Claims
  json: string
  words: Readonly<Record<string, string>>
}) {
  const entries = Object.entries(fields)
  const exact = parseExactly(json) as Claims
  if (entries.length === 0) return <p className="px-4 py-2 text-kumo-subtle">It is an empty object.</p>
  return (
    <dl className="divide-y divide-kumo-hairline">
      {entries.map(([name, value]) => (
        <Row key={name} name={<code>{name}</code>} words={ownValue(words, name) ?? 'Not a registered name'}>
          <FieldValue at={TIME_CLAIMS.has(name) ? timeOf(value) : undefined} text={shownText(exact[name])} />
        </Row>
      ))}
    </dl>
  )
}

function FieldValue({ at, text }: { at: Date | undefined; text: string }) {
  if (at === undefined) return <code className="whitespace-pre-wrap">{text}</code>
  return (
    <>
      <Time at={at} />
      <span className="text-kumo-subtle tabular-nums">
        {' '}
        · {wholeTime(at)} · <code>{text}</code>
      </span>
    </>
  )
}
