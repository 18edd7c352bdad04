// May somebody do something, and why: the permission server's own answer, and the tuples that lead there.

import { Button, Link } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schema } from '../../api/client.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { SidePanel } from '../../parts/side-panel.tsx'
import { State } from '../../parts/state.tsx'
import { Chain } from '../../parts/tuples/chain.tsx'
import { accessHref, rolesHref } from '../../parts/tuples/subject-link.tsx'
import { TupleField, useTupleText } from '../../parts/tuples/tuple-field.tsx'
import { printSubject, readTuple, type Tuple } from '../../parts/tuples/tuple-text.ts'
import { limitWords, subjectWords } from '../../parts/tuples/words.ts'
import { explainQuery } from './queries.ts'

export function CheckPanel({
  asked = '',
  onAsk,
  onClose,
}: {
  asked: string | undefined
  onAsk: (text: string) => void
  onClose: () => void
}) {
  const [text, setText] = useState(asked)
  const { mistake } = useTupleText(text, 'ask')
  const query = useQuery({ ...explainQuery(asked), enabled: asked !== '' })
  const read = readTuple(asked)
  return (
    <SidePanel title="Check permission" onClose={onClose}>
      <form
        className="flex flex-col items-start gap-3"
        noValidate
        onSubmit={event => {
          event.preventDefault()
          if (text === '' || mistake !== undefined) return
          if (text === asked) void query.refetch()
          else onAsk(text)
        }}
      >
        <div className="w-full">
          <TupleField
            label="Has this subject that relation or permit?"
            value={text}
            onChange={setText}
            use="ask"
          />
        </div>
        <Button
          type="submit"
          variant="primary"
          disabled={text === '' || mistake !== undefined}
          loading={query.isFetching}
        >
          Check
        </Button>
      </form>
      <div aria-live="polite" className="flex flex-col gap-5">
        {asked !== '' && (
          <Loaded query={query}>
            {answer => (read.outcome === 'read' ? <Answer answer={answer} question={read.tuple} /> : null)}
          </Loaded>
        )}
      </div>
    </SidePanel>
  )
}

function Answer({ answer, question }: { answer: Schema<'PermissionExplanation'>; question: Tuple }) {
  const { allowed, via } = answer
  const who = subjectWords(question)
  return (
    <>
      <p className="text-lg font-semibold wrap-anywhere">
        <State tone={allowed ? 'good' : 'bad'}>{allowed ? 'Yes' : 'No'}</State>
      </p>
      {allowed && via.length > 0 ? (
        <Chain via={via} asked={question.relation} />
      ) : (
        <p className="wrap-anywhere">{reasonWords(answer, question)}</p>
      )}
      <ul className="flex flex-col gap-1">
        <li>
          <Link
            href={accessHref(
              question,
              allowed ? { subject: printSubject(question), by: question.relation } : {},
            )}
          >
            Who can access {question.object}
          </Link>
        </li>
        <li>
          <Link href={rolesHref(printSubject(question))}>Everything that {who} has</Link>
        </li>
      </ul>
    </>
  )
}

function reasonWords(
  { allowed, reason, truncated_by: limit }: Schema<'PermissionExplanation'>,
  question: Tuple,
): string {
  const who = subjectWords(question)
  if (allowed) return `The permission server says so, and the tuples cannot be shown. ${limitWords(limit)}`
  const no = `No tuple leads from ${question.relation} of ${question.namespace} ${question.object} to ${who}.`
  return reason === 'limit' ? `No chain was found, but one may be hidden. ${limitWords(limit)}` : no
}
