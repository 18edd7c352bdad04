// How far an import is, and what became of it.

import { Button, Meter } from '@cloudflare/kumo'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { Fact, Facts } from '../../../parts/facts.tsx'
import type { ImportEntry, ReadImport } from './read-import.ts'
import type { FailedPacket, ImportProgress } from './use-import.ts'

export function ImportReport({
  progress,
  kind,
  leftOut,
  onStop,
  onRetry,
  onAnother,
  onClose,
}: {
  progress: ImportProgress
  kind: ReadImport['kind']
  /** Entries that were wrong, and not sent. */
  leftOut: number
  onStop: () => void
  onRetry: (entries: ImportEntry[]) => void
  onAnother: () => void
  onClose: () => void
}) {
  const { total, sent, imported, duplicates, failed, isRunning, isStopped } = progress
  const failedEntries = failed.flatMap(({ entries }) => entries)
  return (
    <>
      <Meter
        label={isRunning ? 'Importing' : isStopped ? 'Stopped' : 'Done'}
        value={sent}
        max={total}
        customValue={`${sent.toLocaleString('en')} / ${total.toLocaleString('en')}`}
      />
      <div role="status">
        <Facts>
          <Fact label="Imported">{imported.toLocaleString('en')}</Fact>
          <Fact label="Duplicates" help="There already, or twice in the file">
            {duplicates.toLocaleString('en')}
          </Fact>
          <Fact label="Failed">{failedEntries.length.toLocaleString('en')}</Fact>
          {leftOut > 0 && (
            <Fact label="Left out" help="Wrong in the file">
              {leftOut.toLocaleString('en')}
            </Fact>
          )}
          {isStopped && <Fact label="Not sent">{(total - sent).toLocaleString('en')}</Fact>}
        </Facts>
      </div>
      {failed.map(packet => (
        <ErrorNotice
          key={packet.entries[0]?.number}
          title={`${placesOf(packet, kind)}: nothing of it was written`}
          error={packet.error}
        />
      ))}
      <div className="flex flex-wrap justify-end gap-2">
        {isRunning ? (
          <Button onClick={onStop}>Stop import</Button>
        ) : (
          <>
            {failedEntries.length > 0 && <Button onClick={() => onRetry(failedEntries)}>Retry failed</Button>}
            <Button onClick={onAnother}>Import another file</Button>
            <Button variant="primary" onClick={onClose}>
              Close
            </Button>
          </>
        )}
      </div>
    </>
  )
}

/** The server names a tuple by its place in the packet; people know its line. */
function placesOf({ entries, error }: FailedPacket, kind: ReadImport['kind']): string {
  const index = /tuples\[(\d+)\]/.exec(error.message)?.[1]
  const one = index === undefined ? undefined : entries[Number(index)]
  const range = `${entries[0]?.number} to ${entries.at(-1)?.number}`
  const word = kind === 'lines' ? 'line' : 'entry'
  const words = kind === 'lines' ? 'Lines' : 'Entries'
  return `${words} ${range}${one === undefined ? '' : `, for ${word} ${one.number}`}`
}
