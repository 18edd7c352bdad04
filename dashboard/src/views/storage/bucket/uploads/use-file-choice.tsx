// The browser's own dialog that chooses files, or a folder with all that is in it.

import { useRef } from 'react'
import type { FoundFile } from './use-uploads.ts'

/** `input` must be drawn somewhere; it is not seen. */
export function useFileChoice(onFiles: (files: readonly FoundFile[]) => void) {
  const ref = useRef<HTMLInputElement>(null)
  const choose = (isFolder: boolean) => {
    if (ref.current === null) return
    ref.current.webkitdirectory = isFolder
    ref.current.click()
  }
  const input = (
    <input
      ref={ref}
      type="file"
      multiple
      aria-label="Files to upload"
      className="sr-only"
      tabIndex={-1}
      onChange={event => {
        const files = [...(event.target.files ?? [])]
        // The same files may be chosen again.
        event.target.value = ''
        // Of a folder: `photos/ada.png`.
        onFiles(files.map(file => ({ path: file.webkitRelativePath || file.name, file })))
      }}
    />
  )
  return { input, chooseFiles: () => choose(false), chooseFolder: () => choose(true) }
}
