// What statements would lock, rewrite or destroy, in words.

import { LayerCard } from '@cloudflare/kumo'
import { bytesText } from '../../../parts/bytes.ts'
import { State, type Tone } from '../../../parts/state.tsx'
import type { Finding } from './queries.ts'

const TONES: Record<Finding['blocks'], Tone> = {
  reads_and_writes: 'bad',
  writes: 'attention',
  nothing: 'good',
}

const BLOCKS: Record<Finding['blocks'], string> = {
  reads_and_writes: 'Blocks reads and writes',
  writes: 'Blocks writes',
  nothing: 'Blocks nobody',
}

/** `isOfOneFile`: its name is not said again. */
export function FindingList({
  findings,
  isOfOneFile = false,
}: {
  findings: readonly Finding[]
  isOfOneFile?: boolean
}) {
  if (findings.length === 0)
    return <p className="text-kumo-subtle">No table that is in use is locked, rewritten or dropped.</p>
  return (
    <LayerCard className="p-0">
      <ul aria-label="What the statements do" className="divide-y divide-kumo-hairline">
        {findings.map((finding, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one statement may have two, and their order stays
          <li key={i} className="flex flex-col gap-1.5 px-4 py-3">
            <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
              {finding.analysed ? (
                <State tone={TONES[finding.blocks]}>{BLOCKS[finding.blocks]}</State>
              ) : (
                <State tone="neutral">Not analysed</State>
              )}
              <span className="text-kumo-subtle wrap-anywhere">{whereOf(finding, isOfOneFile)}</span>
              {finding.table !== null && <span className="text-kumo-subtle">{sizeOf(finding)}</span>}
            </div>
            <p className="wrap-anywhere">{finding.message}</p>
            {finding.statement !== null && (
              <pre className="max-h-24 overflow-y-auto rounded-md bg-kumo-recessed px-2 py-1">
                <code className="whitespace-pre-wrap wrap-anywhere">{finding.statement}</code>
              </pre>
            )}
            {finding.safer !== null && (
              <p className="wrap-anywhere">
                <span className="font-medium">Safer: </span>
                {finding.safer}
              </p>
            )}
          </li>
        ))}
      </ul>
    </LayerCard>
  )
}

function whereOf({ file, line, lock }: Finding, isOfOneFile: boolean): string {
  const place = [...(isOfOneFile ? [] : [file]), ...(line === null ? [] : [`line ${line}`])].join(', ')
  const parts = [...(place === '' ? [] : [place]), ...(lock === null ? [] : [`${lock} lock`])]
  return parts.join(' · ')
}

function sizeOf({ size_bytes: bytes, rows }: Finding): string {
  const parts = [
    ...(rows === null ? [] : [`${rows.toLocaleString('en')} rows`]),
    ...(bytes === null ? [] : [bytesText(bytes)]),
  ]
  return parts.join(', ')
}
