// Tuples from a file: read here, looked at, then sent in packets.

import { Button, cn, Dialog } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DIALOG_CLASS } from '../../../parts/dialog-class.ts'
import { useLeaveGuard } from '../../../parts/leave-guard.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { namespacesQuery } from '../../../parts/tuples/queries.ts'
import { FileDrop } from './file-drop.tsx'
import { ImportPreview } from './import-preview.tsx'
import { ImportReport } from './import-report.tsx'
import type { ReadImport } from './read-import.ts'
import { useImport } from './use-import.ts'

interface ChosenFile {
  name: string
  text: string
}

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const query = useQuery(namespacesQuery)
  const [file, setFile] = useState<ChosenFile>()
  const [preview, setPreview] = useState({ kind: 'lines' as ReadImport['kind'], leftOut: 0 })
  const { progress, start, stop, reset } = useImport()
  const isRunning = progress?.isRunning ?? false
  const isWhole = progress !== undefined && progress.failed.length === 0 && progress.sent === progress.total
  const { leave, question } = useLeaveGuard(
    `Discard the import of ${file?.name}?`,
    () => file !== undefined && (isRunning || !isWhole),
    onClose,
  )
  return (
    <Dialog.Root open disablePointerDismissal onOpenChange={open => !open && !isRunning && leave()}>
      <Dialog className={cn(DIALOG_CLASS, 'flex w-[min(56rem,calc(100vw-2rem))] flex-col gap-4')} size="xl">
        <Dialog.Title className="text-lg font-semibold wrap-anywhere">
          {file === undefined ? 'Import relation tuples' : `Import ${file.name}`}
        </Dialog.Title>
        {file === undefined ? (
          <>
            <Dialog.Description className="text-kumo-subtle">
              Lines as Project:apollo#owner@alice, or JSON. The file is read in this browser first; nothing is
              sent before you say so.
            </Dialog.Description>
            <FileDrop onFile={setFile} />
            <div className="flex justify-end">
              <Button onClick={onClose}>Cancel</Button>
            </div>
          </>
        ) : progress === undefined ? (
          <Loaded query={query}>
            {({ data }) => (
              <ImportPreview
                file={file}
                namespaces={data}
                onStart={(entries, seen) => {
                  setPreview(seen)
                  void start(entries)
                }}
                onBack={() => setFile(undefined)}
              />
            )}
          </Loaded>
        ) : (
          <ImportReport
            progress={progress}
            {...preview}
            onStop={stop}
            onRetry={entries => void start(entries)}
            onAnother={() => {
              reset()
              setFile(undefined)
            }}
            onClose={onClose}
          />
        )}
      </Dialog>
      {question}
    </Dialog.Root>
  )
}
