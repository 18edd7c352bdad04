// CodeMirror, in a chunk of its own. For SQL and JSON that somebody writes, and for long texts that are read: folded,
// and searched with Ctrl or Cmd F.

import { lazy, Suspense } from 'react'
import type { CodeMirrorProps } from './code-mirror.tsx'
import { Outline } from './loaded.tsx'

const CodeMirror = lazy(() => import('./code-mirror.tsx').then(module => ({ default: module.CodeMirror })))

/** A text that is edited. `label` names it; `onSubmit` is called on Ctrl or Cmd Enter. */
export function CodeEditor(props: CodeMirrorProps) {
  return (
    <Suspense fallback={<Outline rows={3} />}>
      <CodeMirror {...props} />
    </Suspense>
  )
}

/** A value as JSON to read. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  return (
    <CodeEditor label={label} value={JSON.stringify(value, undefined, 2) ?? ''} language="json" isReadOnly />
  )
}
