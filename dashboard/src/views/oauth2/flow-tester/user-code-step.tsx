import { Button, LinkButton } from '@cloudflare/kumo'
import { ArrowSquareOutIcon } from '@phosphor-icons/react'
import { useState } from 'react'
import { CopyText } from '../../../parts/copy-text.tsx'
import { Time } from '../../../parts/time.tsx'
import { type DeviceCodes, inGroups } from './polling.ts'
import { openWindow } from './sign-in-window.ts'
import { Step } from './step.tsx'

/** The person types the code in, on a page of the bridge in another window. */
export function UserCodeStep({
  codes,
  issuedAt,
  isDone,
  onOpened,
}: {
  codes: DeviceCodes | undefined
  issuedAt: number | undefined
  isDone: boolean
  onOpened: () => void
}) {
  const [isBlocked, setBlocked] = useState(false)
  const address = codes?.verificationUriComplete ?? codes?.verificationUri
  // It comes from outside.
  const isSafe = address !== undefined && /^https?:\/\//i.test(address)
  const open = () => {
    setBlocked(openWindow(address ?? '') === undefined)
    onOpened()
  }
  return (
    <Step
      number={2}
      isPast={isDone}
      title="Type in the code"
      lead="The device shows the short code and an address. The person goes there with any browser, and signs in."
      state={codes === undefined ? 'waiting' : isDone ? 'done' : 'ready'}
    >
      {codes !== undefined && (
        <>
          <div className="rounded-md bg-kumo-recessed px-4 py-3 text-center">
            <p>
              Go to <code className="wrap-anywhere">{codes.verificationUri}</code> and type in
            </p>
            <CopyText
              value={inGroups(codes.userCode)}
              whole
              label="Copy user code"
              className="mt-1 text-2xl font-semibold tracking-widest"
            />
            {codes.expiresInSeconds !== undefined && issuedAt !== undefined && (
              <p className="mt-1 text-xs">
                The codes expire <Time at={new Date(issuedAt + codes.expiresInSeconds * 1_000)} />
              </p>
            )}
          </div>
          {isSafe && (
            <div className="flex flex-wrap items-center gap-3">
              <Button variant={isDone ? 'secondary' : 'primary'} icon={ArrowSquareOutIcon} onClick={open}>
                Open that page
              </Button>
              {isBlocked && (
                <LinkButton href={address} target="_blank" rel="noopener noreferrer">
                  The window was blocked: open it in a new tab
                </LinkButton>
              )}
            </div>
          )}
        </>
      )}
    </Step>
  )
}
