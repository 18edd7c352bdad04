// A tuple in its text form, read as it is typed: what is wrong is said, with its place.

import { Input } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { type TupleUse, undeclaredName } from './declared-names.ts'
import { namespacesQuery } from './queries.ts'
import { type Mistake, readTuple, type Tuple } from './tuple-text.ts'
import { subjectWords } from './words.ts'

/** What a text is, as far as the page knows. */
export function useTupleText(text: string, use: TupleUse): { tuple?: Tuple; mistake?: Mistake } {
  const { data: known } = useQuery(namespacesQuery)
  if (text === '') return {}
  const read = readTuple(text)
  if (read.outcome === 'unreadable') return { mistake: read }
  const mistake = known && undeclaredName(read.tuple, known.data, use, read.spans)
  return mistake === undefined ? { tuple: read.tuple } : { mistake }
}

export function TupleField({
  label,
  value,
  onChange,
  use,
  error,
}: {
  label: string
  value: string
  onChange: (text: string) => void
  use: TupleUse
  /** The server's own word on it. */
  error?: string
}) {
  const { tuple, mistake } = useTupleText(value, use)
  return (
    <div className="flex flex-col gap-2">
      <Input
        label={label}
        placeholder={use === 'ask' ? 'Project:apollo#view@alice' : 'Project:apollo#owner@alice'}
        value={value}
        onChange={event => onChange(event.target.value)}
        className="code-text!"
        autoComplete="off"
        spellCheck={false}
        error={error ?? mistake?.problem}
      />
      {mistake !== undefined && <MarkedText text={value} mistake={mistake} />}
      {tuple !== undefined && (
        <p className="text-kumo-subtle wrap-anywhere">
          {use === 'ask' ? (
            <>
              Has <b className="font-medium text-kumo-default">{subjectWords(tuple)}</b> {tuple.relation} on{' '}
              {tuple.namespace} {tuple.object}?
            </>
          ) : (
            <>
              <b className="font-medium text-kumo-default">{subjectWords(tuple)}</b>{' '}
              {tuple.subject_set?.relation ? 'become' : 'becomes'} {tuple.relation} of {tuple.namespace}{' '}
              {tuple.object}.
            </>
          )}
        </p>
      )}
    </div>
  )
}

/** The text with the place of its mistake underlined. */
export function MarkedText({ text, mistake: { at } }: { text: string; mistake: Mistake }) {
  return (
    <code className="block whitespace-pre-wrap text-kumo-subtle wrap-anywhere">
      {text.slice(0, at.start)}
      <mark className="bg-transparent text-kumo-danger underline decoration-wavy underline-offset-4">
        {text.slice(at.start, at.end) || ' ⌄ '}
      </mark>
      {text.slice(at.end)}
    </code>
  )
}
