// One token: what it is, what it says, and where it can be looked at closely.

import { Button } from '@cloudflare/kumo'
import { useRouter } from '@tanstack/react-router'
import { handOverToken } from '../../../app/pasted-token.ts'
import { CopyText } from '../../../parts/copy-text.tsx'
import { prettyJson } from '../../../parts/exact-json.ts'
import { readJwt } from '../../../parts/jwt.ts'
import { checkIdToken } from './callback.ts'
import { CheckList } from './check-list.tsx'

/** `expected`: for an ID token, what an application checks in it. */
export function TokenView({
  name,
  token,
  words,
  expected,
}: {
  name: string
  token: string
  words: string
  expected?: Parameters<typeof checkIdToken>[1]
}) {
  const reading = readJwt(token)
  return (
    <section aria-label={name} className="rounded-md border border-kumo-line">
      <div className="bg-kumo-recessed px-3 py-2">
        <div className="flex flex-wrap items-center gap-x-3">
          <h3 className="flex-1 font-medium">{name}</h3>
          <CopyText value={token} label={`Copy ${name}`} />
        </div>
        <p className="text-xs">
          {words}. {reading.kind === 'jwt' ? 'A JWT.' : 'Opaque: it says nothing by itself.'}
        </p>
      </div>
      {reading.kind === 'jwt' && (
        <div className="flex flex-col gap-3 px-3 py-2">
          {expected !== undefined && (
            <CheckList label={`Checks of the ${name}`} checks={checkIdToken(reading.payload, expected)} />
          )}
          <details>
            <summary className="cursor-pointer">Decoded</summary>
            <pre className="mt-2 text-xs leading-5 break-all whitespace-pre-wrap">
              {prettyJson(reading.headerJson)}
              {'\n'}
              {prettyJson(reading.payloadJson)}
            </pre>
          </details>
          <DebuggerButton token={token} />
        </div>
      )}
    </section>
  )
}

function DebuggerButton({ token }: { token: string }) {
  const router = useRouter()
  const open = () => {
    handOverToken(token)
    router.history.push('/oauth2/jwt-debugger')
  }
  return (
    <div>
      <Button size="sm" onClick={open} title="Leaves this run">
        Open in the JWT debugger
      </Button>
    </div>
  )
}
