// Runs what is pending: what to run, then how long it has taken, then what became of it.

import { Button, Checkbox, Dialog } from '@cloudflare/kumo'
import { type UseQueryResult, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { DIALOG_CLASS } from '../../../parts/dialog-class.ts'
import { ErrorNotice } from '../../../parts/error-notice.tsx'
import { useReloadGuard } from '../../../parts/leave-guard.tsx'
import { Loaded, Outline } from '../../../parts/loaded.tsx'
import { CheckVerdict } from './moment-section.tsx'
import { type Finding, type Migration, type MigrationCheck, runMigrations } from './queries.ts'
import { RunProgress } from './run-progress.tsx'
import { RunResultView } from './run-result-view.tsx'

export function RunDialog({
  pending,
  check,
  chosen,
  onClose,
}: {
  pending: readonly Migration[]
  check: UseQueryResult<MigrationCheck>
  /** Left out: all that can run. */
  chosen: readonly string[] | undefined
  onClose: () => void
}) {
  // As they were when this was opened: after the run they are pending no more.
  const [files] = useState(pending)
  const [names, setNames] = useState(
    () => chosen ?? files.filter(({ problem }) => problem === null).map(({ name }) => name),
  )
  const run = useMutation({ mutationFn: runMigrations })
  // When this page goes away in the middle of a run, the run is taken back.
  useReloadGuard(run.isPending)
  const outside = check.data?.outsideTransaction ?? []
  const ordered = files.map(({ name }) => name).filter(name => names.includes(name))
  const isDivided = ordered.length > 1 && ordered.some(name => outside.includes(name))
  const isOver = run.data !== undefined
  return (
    <Dialog.Root open disablePointerDismissal onOpenChange={open => !open && !run.isPending && onClose()}>
      <Dialog className={DIALOG_CLASS} size="lg">
        <div className="flex flex-col gap-4">
          <Dialog.Title className="text-lg font-semibold">
            {isOver ? 'The run is over' : run.isPending ? 'Running migrations' : 'Run migrations'}
          </Dialog.Title>
          <Dialog.Description render={<div />} className="text-kumo-subtle">
            {isOver
              ? 'It is recorded in the audit log.'
              : isDivided
                ? 'They run in order. A file outside a transaction splits the run: what is before it is committed.'
                : 'They run in order and in one transaction: all or nothing. A statement waits 5 s at most for a lock.'}
          </Dialog.Description>
          {run.data !== undefined ? (
            <RunResultView of={run.data} wasOutside={outside.includes(run.data.failed?.name ?? '')} />
          ) : run.isPending ? (
            <RunProgress files={ordered} outside={outside} />
          ) : (
            <>
              <Loaded query={check} outline={<Outline rows={2} />}>
                {found => (
                  <>
                    <CheckVerdict of={found} />
                    <p>{blockedWords(found.findings.filter(({ file }) => names.includes(file)))}</p>
                  </>
                )}
              </Loaded>
              {files.length === 0 && <p>No pending migrations.</p>}
              <Checkbox.Group
                legend="What to run"
                value={[...names]}
                allValues={files.map(({ name }) => name)}
                onValueChange={setNames}
              >
                {files.map(({ name, problem }) => (
                  <Checkbox.Item
                    key={name}
                    value={name}
                    disabled={problem !== null}
                    label={labelOf(name, problem, outside.includes(name))}
                    className="wrap-anywhere"
                  />
                ))}
              </Checkbox.Group>
              <ErrorNotice error={run.error} title="The run did not begin, or was cut off" />
            </>
          )}
          <div className="flex justify-end gap-2">
            {isOver ? (
              <Button variant="primary" onClick={onClose}>
                Close
              </Button>
            ) : (
              <>
                <Button variant="secondary" disabled={run.isPending} onClick={onClose}>
                  Cancel
                </Button>
                <Button
                  variant="primary"
                  loading={run.isPending}
                  disabled={ordered.length === 0}
                  onClick={() => run.mutate(ordered)}
                >
                  {ordered.length === 1 ? 'Run 1 migration' : `Run ${ordered.length} migrations`}
                </Button>
              </>
            )}
          </div>
        </div>
      </Dialog>
    </Dialog.Root>
  )
}

function labelOf(name: string, problem: string | null, isOutside: boolean): string {
  if (problem !== null) return `${name}: cannot run`
  return isOutside ? `${name}, outside a transaction` : name
}

/** Whom the run keeps waiting, as a sentence. */
function blockedWords(findings: readonly Finding[]): string {
  const counted = (blocks: Finding['blocks']) => {
    const tables = findings
      .filter(finding => finding.blocks === blocks)
      .map(({ table }) => table ?? 'some tables')
    return [...new Set(tables)].join(', ')
  }
  const [all, writes] = [counted('reads_and_writes'), counted('writes')]
  const sentences = [
    ...(all === '' ? [] : [`Until it ends nobody can read or write ${all}.`]),
    ...(writes === '' ? [] : [`Until it ends nobody can write to ${writes}.`]),
    ...(findings.some(({ analysed }) => !analysed) ? ['Some statements are not analysed.'] : []),
  ]
  return sentences.length === 0 ? 'No statement is known to block others.' : sentences.join(' ')
}
