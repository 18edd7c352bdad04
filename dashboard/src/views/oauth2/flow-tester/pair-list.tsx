// Parameters or headers with what they are good for; the client's secret is covered.

import { Button } from '@cloudflare/kumo'
import { useState } from 'react'
import { ownValue } from '../../../parts/own-value.ts'
import type { Pair } from './http-exchange.ts'
import { PARAMETER_WORDS } from './parameter-words.ts'

export function PairList({ pairs }: { pairs: readonly Pair[] }) {
  return (
    <dl className="pb-1">
      {pairs.map(pair => (
        <div key={pair.name} className="grid gap-x-3 px-3 py-1 sm:grid-cols-[10rem_minmax(0,1fr)]">
          <dt className="min-w-0">
            <code className="text-xs">{pair.name}</code>
            <span className="block text-xs text-kumo-subtle">{ownValue(PARAMETER_WORDS, pair.name)}</span>
          </dt>
          <dd className="min-w-0 code-text text-xs leading-5 break-all">
            {pair.isSecret ? <Covered value={pair.value} /> : pair.value}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Covered({ value }: { value: string }) {
  const [isShown, setShown] = useState(false)
  if (isShown) return value
  return (
    <Button size="xs" onClick={() => setShown(true)}>
      Show the secret
    </Button>
  )
}
