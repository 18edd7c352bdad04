// What is being uploaded, what became of it, and what somebody must decide.

import { Button, LayerCard } from '@cloudflare/kumo'
import { UploadRow } from './upload-row.tsx'
import { mayTryAgain, type Upload, type Uploads } from './use-uploads.ts'

/** So many rows are drawn. */
const SHOWN_MAX = 50

/** What somebody must decide stands above, what is done below. */
const ORDER: readonly Upload['state'][] = ['exists', 'failed', 'sending', 'waiting', 'done']

/** Nothing while there are no uploads. */
export function UploadList({ uploads, send, remove }: Uploads) {
  if (uploads.length === 0) return null
  const of = (...states: Upload['state'][]) => uploads.filter(({ state }) => states.includes(state))
  const [taken, ended, running] = [of('exists'), of('done', 'failed'), of('sending', 'waiting')]
  const failed = of('failed').filter(({ error }) => mayTryAgain(error))
  const shown = ORDER.flatMap(state => of(state))
  const left = shown.length - SHOWN_MAX
  return (
    <section aria-label="Uploads">
      <LayerCard className="p-0">
        <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2">
          <span role="status" className="mr-auto font-medium tabular-nums">
            {countWords(uploads)}
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
          {failed.length > 1 && (
            <Button size="sm" onClick={() => send(idsOf(failed))}>
              Try all {failed.length} again
            </Button>
          )}
          {running.length > 1 && (
            <Button size="sm" variant="ghost" onClick={() => remove(idsOf(running))}>
              Stop all {running.length}
            </Button>
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

function countWords(uploads: readonly Upload[]): string {
  const count = (state: Upload['state']) => uploads.filter(upload => upload.state === state).length
  const [done, taken, failed] = [count('done'), count('exists'), count('failed')]
  const parts = [
    `${done.toLocaleString('en')} of ${uploads.length.toLocaleString('en')} uploaded`,
    ...(taken > 0 ? [`${taken.toLocaleString('en')} there already`] : []),
    ...(failed > 0 ? [`${failed.toLocaleString('en')} not uploaded`] : []),
  ]
  return parts.join(', ')
}
