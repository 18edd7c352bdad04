// A rotation as steps, each with where it stands. Nothing of it is kept: two keys in the set are a rotation under way.

import { Button } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { Section } from '../../../parts/page.tsx'
import { State } from '../../../parts/state.tsx'
import { Time } from '../../../parts/time.tsx'
import { useSubmit } from '../../../parts/use-submit.ts'
import { AlgorithmField, algorithmOf } from './algorithm-field.tsx'
import type { KeySet } from './key-sets.ts'
import { addKey, publicKeysQuery, type SigningKey } from './queries.ts'
import { rotationStep } from './rotation.ts'
import { LifetimeNote, TokenEnds, useLifetime } from './token-ends.tsx'

const LOOK_INTERVAL_MS = 5_000

interface GuideProps {
  set: KeySet
  keys: readonly SigningKey[]
  mayChange: boolean
  /** Asked for by the address: it is brought before the eyes. */
  isAsked: boolean
  removal: (key: SigningKey, label: string) => ReactNode
}

export function RotationGuide({ set, keys, mayChange, isAsked, removal }: GuideProps) {
  const lifetime = useLifetime(set.id)
  const [newest, ...old] = keys
  const { data } = useQuery({
    ...publicKeysQuery,
    refetchInterval: query =>
      newest !== undefined && !kidsOf(query.state.data?.keys).includes(newest.kid) && LOOK_INTERVAL_MS,
  })
  const kids = kidsOf(data?.keys)
  const step = rotationStep(keys, kids, lifetime, new Date())
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isAsked) place.current?.scrollIntoView({ block: 'nearest' })
  }, [isAsked])
  return (
    <div ref={place}>
      <Section
        title="Rotation"
        lead={`A new key for ${set.signs}, while those that are out go on verifying with the public keys.`}
      >
        <ol className="flex flex-col">
          <Step number={1} title="Add the new key" isDone={step !== 'add'} isNow={step === 'add'}>
            {step === 'add' || newest === undefined ? (
              <NewKey set={set} newest={newest} mayChange={mayChange} />
            ) : (
              <p>
                <code className="wrap-anywhere">{newest.kid}</code> ({newest.algorithm}) signs
                {newest.created_at !== null && (
                  <>
                    , made <Time at={newest.created_at} />
                  </>
                )}
                .
              </p>
            )}
          </Step>
          <Step
            number={2}
            title="Wait until everybody has it, and the old tokens have ended"
            isDone={step === 'remove'}
            isNow={step === 'wait'}
          >
            {step !== 'add' && newest !== undefined && (
              <div className="flex flex-col gap-1.5 text-kumo-default">
                {kids.includes(newest.kid) ? (
                  <State tone="good">The new key is in the public keys</State>
                ) : (
                  <State tone="busy">The new key is not in the public keys yet</State>
                )}
                {old.map(key => (
                  <TokenEnds key={key.kid} of={key.kid} among={keys} set={set.id} isOld />
                ))}
                <LifetimeNote set={set.id} />
              </div>
            )}
            <p>
              Libraries that meet a key id which they do not know read the public keys again. Where yours keep
              them for a fixed time instead, wait for that too.
            </p>
          </Step>
          <Step number={3} title="Remove the old key" isDone={false} isNow={step === 'remove'} isLast>
            {step === 'add' ? (
              <p>Until then tokens signed with it go on verifying.</p>
            ) : (
              old.map(key => (
                <div key={key.kid} className="flex flex-wrap items-center gap-3">
                  <code className="wrap-anywhere">{key.kid}</code>
                  {removal(key, 'Remove old key')}
                </div>
              ))
            )}
          </Step>
        </ol>
      </Section>
    </div>
  )
}

function NewKey({
  set,
  newest,
  mayChange,
}: {
  set: KeySet
  newest: SigningKey | undefined
  mayChange: boolean
}) {
  const [algorithm, setAlgorithm] = useState(() => algorithmOf(newest?.algorithm))
  const { error, errorAt, isBusy, submit } = useSubmit(() =>
    addKey({ set_id: set.id, algorithm, use: 'sig' }),
  )
  return (
    <form onSubmit={submit} className="flex max-w-md flex-col items-stretch gap-3">
      <p>It signs from the moment it is there. {set.atOnce}</p>
      <AlgorithmField
        set={set.id}
        present={newest?.algorithm}
        value={algorithm}
        onChange={setAlgorithm}
        error={errorAt('algorithm')}
      />
      <ErrorNotice error={error} />
      <div>
        <Button
          type="submit"
          variant="primary"
          loading={isBusy}
          disabled={!mayChange}
          title={mayChange ? undefined : 'Only administrators may change signing keys'}
        >
          Add new key
        </Button>
      </div>
    </form>
  )
}

function Step({
  number,
  title,
  isDone,
  isNow,
  isLast = false,
  children,
}: {
  number: number
  title: string
  isDone: boolean
  isNow: boolean
  isLast?: boolean
  children: ReactNode
}) {
  return (
    <li aria-current={isNow ? 'step' : undefined} className="grid grid-cols-[1.75rem_minmax(0,1fr)] gap-x-3">
      <div className="flex flex-col items-center" aria-hidden="true">
        <span
          className={`flex size-7 shrink-0 items-center justify-center rounded-full text-sm tabular-nums ring ${
            isNow
              ? 'bg-kumo-brand text-white ring-kumo-brand'
              : 'bg-kumo-base text-kumo-subtle ring-kumo-line'
          }`}
        >
          {isDone ? '✓' : number}
        </span>
        {!isLast && <span className="w-px flex-1 bg-kumo-line" />}
      </div>
      <div className="flex min-w-0 flex-col gap-2 pb-6 text-kumo-subtle">
        <h3 className="pt-0.5 font-medium text-kumo-default">
          {title}
          {isDone && <span className="ml-2 text-sm font-normal text-kumo-subtle">done</span>}
        </h3>
        {children}
      </div>
    </li>
  )
}

/** Key ids of the public keys, which are whatever JSON the server gives. */
function kidsOf(keys: unknown): string[] {
  if (!Array.isArray(keys)) return []
  return keys.flatMap((key: unknown) =>
    typeof key === 'object' && key !== null && 'kid' in key && typeof key.kid === 'string' ? [key.kid] : [],
  )
}
