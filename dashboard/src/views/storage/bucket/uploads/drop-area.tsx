import { cn } from '@cloudflare/kumo'
import { type DragEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { droppedFiles } from './dropped-files.ts'
import type { FoundFile } from './use-uploads.ts'

/** Takes files and folders that are dropped on what is in it. `into` is the place, in words. */
export function DropArea({
  into,
  onFiles,
  children,
}: {
  into: string
  onFiles: (files: readonly FoundFile[]) => void
  children: ReactNode
}) {
  // Each element within says by itself that something has come and gone.
  const depth = useRef(0)
  const [isOver, setOver] = useState(false)
  const [problem, setProblem] = useState<string>()
  useEffect(keepPage, [])
  const move = (event: DragEvent, change: 1 | -1) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    depth.current = Math.max(0, depth.current + change)
    setOver(depth.current > 0)
  }
  const drop = async (event: DragEvent) => {
    if (!hasFiles(event)) return
    depth.current = 0
    setOver(false)
    setProblem(undefined)
    try {
      const files = await droppedFiles(event.dataTransfer)
      if (files.length === 0)
        setProblem('There is no file in what was dropped, and an empty folder is not kept.')
      onFiles(files)
    } catch (err) {
      setProblem(`What was dropped cannot be read: ${err instanceof Error ? err.message : String(err)}`)
    }
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is beside the button, which does the same
    <div
      className={cn(
        'relative flex min-h-[60vh] flex-col gap-4 rounded-md outline-offset-8',
        isOver && 'outline-2 outline-kumo-brand outline-dashed',
      )}
      onDragEnter={event => move(event, 1)}
      onDragLeave={event => move(event, -1)}
      onDrop={event => void drop(event)}
    >
      {isOver && (
        <p
          className={cn(
            'pointer-events-none absolute inset-x-0 top-24 z-20 mx-auto w-fit',
            'rounded-md border border-kumo-line bg-kumo-base px-4 py-2 font-medium wrap-anywhere',
          )}
        >
          Drop to upload into {into}
        </p>
      )}
      {problem !== undefined && (
        <p role="alert" className="text-kumo-danger wrap-anywhere">
          {problem}
        </p>
      )}
      {children}
    </div>
  )
}

function hasFiles({ dataTransfer }: Pick<globalThis.DragEvent, 'dataTransfer'>): boolean {
  return dataTransfer?.types.includes('Files') ?? false
}

/** A file that is dropped beside the area would be shown by the browser, in place of this page. */
function keepPage(): () => void {
  const keep = (event: globalThis.DragEvent) => hasFiles(event) && event.preventDefault()
  addEventListener('dragover', keep)
  addEventListener('drop', keep)
  return () => {
    removeEventListener('dragover', keep)
    removeEventListener('drop', keep)
  }
}
