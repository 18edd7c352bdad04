import { Button, cn, Text } from '@cloudflare/kumo'
import { FileArrowUpIcon } from '@phosphor-icons/react'
import { useRef, useState } from 'react'

/** A larger one would be some million tuples: the command line is the place for it. */
const FILE_BYTES_MAX = 50 * 1024 * 1024

export function FileDrop({ onFile }: { onFile: (file: { name: string; text: string }) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const [problem, setProblem] = useState<string>()
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    if (file.size > FILE_BYTES_MAX) return setProblem(`${file.name} is larger than 50 MB: split it.`)
    try {
      onFile({ name: file.name, text: await file.text() })
    } catch (err) {
      setProblem(`${file.name} cannot be read: ${err instanceof Error ? err.message : String(err)}`)
    }
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is beside the button, which does the same
    <div
      className={cn(
        'flex flex-col items-center gap-3 rounded-md border border-dashed px-6 py-12 text-center',
        isOver ? 'border-kumo-brand bg-kumo-tint' : 'border-kumo-line',
      )}
      onDragOver={event => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={event => {
        event.preventDefault()
        setOver(false)
        void take(event.dataTransfer.files[0])
      }}
    >
      <FileArrowUpIcon size={32} aria-hidden="true" className="text-kumo-subtle" />
      <Text variant="secondary">Drop a file here, or</Text>
      <Button variant="primary" onClick={() => input.current?.click()}>
        Choose file
      </Button>
      <input
        ref={input}
        type="file"
        aria-label="File of relation tuples"
        accept=".txt,.json,.jsonl,.tuples,text/plain,application/json"
        className="sr-only"
        tabIndex={-1}
        onChange={event => void take(event.target.files?.[0])}
      />
      {problem !== undefined && (
        <p role="alert" className="text-kumo-danger wrap-anywhere">
          {problem}
        </p>
      )}
    </div>
  )
}
