import { cn } from '@cloudflare/kumo'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
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
  const move = (event: DragEvent, change: 1 | -1) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    depth.current = Math.max(0, depth.current + change)
    setOver(depth.current > 0)
  }
  const drop = async (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    depth.current = 0
    setOver(false)
    setProblem(undefined)
    try {
      onFiles(await droppedFiles(event.dataTransfer))
    } catch (err) {
      setProblem(`What was dropped cannot be read: ${err instanceof Error ? err.message : String(err)}`)
    }
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is beside the button, which does the same
    <div
      className={cn(
        'relative flex flex-col gap-4 rounded-md outline-offset-8',
        isOver && 'outline-2 outline-kumo-brand outline-dashed',
      )}
      onDragEnter={event => move(event, 1)}
      onDragLeave={event => move(event, -1)}
      onDragOver={event => event.dataTransfer.types.includes('Files') && event.preventDefault()}
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
