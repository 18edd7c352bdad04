import { Button, Meter } from '@cloudflare/kumo'
import { XIcon } from '@phosphor-icons/react'
import { ApiError } from '../../../../api/errors.ts'
import { bytesText } from '../../../../parts/bytes.ts'
import { State, type Tone } from '../../../../parts/state.tsx'
import { mayTryAgain, type Upload, type Uploads } from './use-uploads.ts'

/** A file on its way, with what can be done about it. */
export function UploadRow({ of: upload, send, remove }: { of: Upload } & Pick<Uploads, 'send' | 'remove'>) {
  const { id, name, file, state, sentBytes, error } = upload
  const [tone, words] = STATES[state]
  return (
    <li className="flex flex-col gap-1 px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 basis-48 wrap-anywhere">{name}</span>
        <span className="text-kumo-subtle whitespace-nowrap tabular-nums">{bytesText(file.size)}</span>
        <State tone={tone}>{words}</State>
        {state === 'exists' && (
          <Button size="sm" aria-label={`Replace ${name}`} onClick={() => send([id], { replace: true })}>
            Replace
          </Button>
        )}
        {state === 'failed' && mayTryAgain(error) && (
          <Button size="sm" aria-label={`Try ${name} again`} onClick={() => send([id])}>
            Try again
          </Button>
        )}
        {state !== 'done' && (
          <Button
            size="sm"
            variant="ghost"
            shape="square"
            icon={<XIcon />}
            aria-label={`${REMOVALS[state]} ${name}`}
            onClick={() => remove([id])}
          />
        )}
      </div>
      {state === 'sending' && (
        <Meter
          label="Sent"
          value={Math.min(sentBytes, file.size)}
          max={Math.max(file.size, 1)}
          customValue={`${bytesText(sentBytes)} of ${bytesText(file.size)}`}
          aria-label={`Progress of ${name}`}
        />
      )}
      {state === 'failed' && error !== null && (
        <p role="alert" className="text-sm wrap-anywhere">
          <span className="text-kumo-danger">{error.message}</span>{' '}
          {error instanceof ApiError && (
            <span className="text-kumo-subtle">{[error.detail, error.hint].filter(Boolean).join(' ')}</span>
          )}
        </p>
      )}
    </li>
  )
}

const STATES: Readonly<Record<Upload['state'], readonly [Tone, string]>> = {
  waiting: ['neutral', 'Waiting'],
  sending: ['busy', 'Sending'],
  done: ['good', 'Uploaded'],
  exists: ['attention', 'There already'],
  failed: ['bad', 'Not uploaded'],
}

const REMOVALS = { waiting: 'Stop', sending: 'Stop', exists: 'Skip', failed: 'Remove' }
