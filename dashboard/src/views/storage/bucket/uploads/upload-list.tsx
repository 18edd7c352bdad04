// What is being uploaded, what became of it, and what somebody must decide.

import { Button, LayerCard, Meter } from '@cloudflare/kumo'
import { XIcon } from '@phosphor-icons/react'
import { ApiError } from '../../../../api/errors.ts'
import { bytesText } from '../../../../parts/bytes.ts'
import { State, type Tone } from '../../../../parts/state.tsx'
import type { Upload, Uploads } from './use-uploads.ts'

/** Of more, those that are done already are left out, and the last. */
const SHOWN_MAX = 50

/** Nothing while there are no uploads. */
export function UploadList({ uploads, send, remove }: Uploads) {
  if (uploads.length === 0) return null
  const of = (...states: Upload['state'][]) => uploads.filter(({ state }) => states.includes(state))
  const [done, taken, ended] = [of('done'), of('exists'), of('done', 'failed')]
  const shown = uploads.length > SHOWN_MAX ? uploads.filter(({ state }) => state !== 'done') : uploads
  const left = shown.length - SHOWN_MAX
  return (
    <section aria-label="Uploads">
      <LayerCard className="p-0">
        <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2">
          <span role="status" className="mr-auto font-medium tabular-nums">
            {done.length.toLocaleString('en')} of {uploads.length.toLocaleString('en')} uploaded
            {taken.length > 0 && `, ${taken.length.toLocaleString('en')} there already`}
          </span>
          {taken.length > 1 && (
            <>
              <Button size="sm" onClick={() => send(idsOf(taken), { replace: true })}>
                Replace all {taken.length}
              </Button>
              <Button size="sm" variant="ghost" onClick={() => remove(idsOf(taken))}>
                Skip all {taken.length}
              </Button>
            </>
          )}
          {ended.length > 0 && (
            <Button size="sm" variant="ghost" onClick={() => remove(idsOf(ended))}>
              Clear finished
            </Button>
          )}
        </div>
        <ul
          aria-label="Files being uploaded"
          className="max-h-80 divide-y divide-kumo-hairline overflow-y-auto border-t border-kumo-hairline"
        >
          {shown.slice(0, SHOWN_MAX).map(upload => (
            <UploadRow key={upload.id} of={upload} send={send} remove={remove} />
          ))}
        </ul>
        {left > 0 && (
          <p className="border-t border-kumo-hairline px-4 py-2 text-kumo-subtle">
            and {left.toLocaleString('en')} more
          </p>
        )}
      </LayerCard>
    </section>
  )
}

const idsOf = (uploads: readonly Upload[]) => uploads.map(({ id }) => id)

function UploadRow({ of: upload, send, remove }: { of: Upload } & Pick<Uploads, 'send' | 'remove'>) {
  const { id, name, file, state, replace, sentBytes, error } = upload
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
          <Button size="sm" aria-label={`Try ${name} again`} onClick={() => send([id], { replace })}>
            Try again
          </Button>
        )}
        {state !== 'done' && (
          <Button
            size="sm"
            variant="ghost"
            shape="square"
            icon={<XIcon />}
            aria-label={`${state === 'exists' ? 'Skip' : state === 'failed' ? 'Remove' : 'Stop'} ${name}`}
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
          {error instanceof ApiError && <span className="text-kumo-subtle">{error.hint}</span>}
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

/** What is too large or of a wrong type stays so. */
function mayTryAgain(error: Error | null): boolean {
  return error instanceof ApiError && ![400, 413, 415].includes(error.status)
}
