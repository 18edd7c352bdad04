// The editor itself. Loaded by code-editor.tsx alone.

import { cn } from '@cloudflare/kumo'
import { autocompletion, closeBrackets, closeCompletion } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { PostgreSQL, sql } from '@codemirror/lang-sql'
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  syntaxHighlighting,
} from '@codemirror/language'
import { searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
  placeholder,
  type ViewUpdate,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useEffectEvent, useRef, useState } from 'react'

/** Offsets into the text, from 0. */
export interface TextRange {
  from: number
  to: number
}

export interface CodeMirrorProps {
  value: string
  onChange?: (value: string) => void
  onSubmit?: (value: string) => void
  label: string
  language: 'sql' | 'json' | 'text'
  isReadOnly?: boolean
  /** Tables with their columns, for completion in SQL. */
  tables?: Readonly<Record<string, readonly string[]>>
  hint?: string
  /** What is wrong, by its place: underlined until the text there is changed. */
  mark?: TextRange | undefined
  /** Told what is selected: an empty range where nothing is. */
  onSelect?: (range: TextRange) => void
  /** `min-h-...` and `max-h-...` of the text. */
  className?: string
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'light-dark(#8250df, #c297ff)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'light-dark(#0a5a2a, #8ddb8c)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'light-dark(#0550ae, #79b8ff)' },
  { tag: [tags.propertyName, tags.typeName], color: 'light-dark(#953800, #ffb27d)' },
  { tag: tags.comment, color: 'light-dark(#57606a, #9aa4af)', fontStyle: 'italic' },
])

const look = EditorView.theme({
  '&': { fontSize: '13px', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-content': { fontFamily: 'var(--font-mono, ui-monospace, monospace)', caretColor: 'currentColor' },
  '.cm-gutters': { backgroundColor: 'transparent', border: 'none', color: 'light-dark(#5c6670, #98a2ad)' },
  '.cm-scroller': { overflow: 'auto' },
  '.cm-placeholder': { color: 'var(--text-color-kumo-subtle)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    background: 'light-dark(#cfe4f5, #24506e) !important',
  },
  '.cm-mark': { textDecoration: 'underline wavy light-dark(#c3251f, #ff8a80)', textUnderlineOffset: '3px' },
  '.cm-panels': { backgroundColor: 'var(--color-kumo-elevated)', color: 'inherit' },
  '.cm-tooltip': { backgroundColor: 'var(--color-kumo-base)', border: '1px solid var(--color-kumo-line)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'light-dark(#cfe4f5, #24506e)',
    color: 'inherit',
  },
})

const setMark = StateEffect.define<TextRange | undefined>()
const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (present, { changes, effects }) =>
    effects.reduce((set, effect) => (effect.is(setMark) ? markAt(effect.value) : set), present.map(changes)),
  provide: field => EditorView.decorations.from(field),
})

function markAt(range: TextRange | undefined): DecorationSet {
  if (range === undefined || range.from >= range.to) return Decoration.none
  return Decoration.set(Decoration.mark({ class: 'cm-mark' }).range(range.from, range.to))
}

export function CodeMirror(props: CodeMirrorProps) {
  const { value, label, language, isReadOnly = false, tables, hint, mark, className = 'max-h-[60vh]' } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const [languageSlot] = useState(() => new Compartment())
  const submit = useEffectEvent((editor: EditorView): boolean => {
    if (props.onSubmit === undefined) return false
    closeCompletion(editor)
    props.onSubmit(editor.state.doc.toString())
    return true
  })
  const tell = useEffectEvent(({ docChanged, selectionSet, state }: ViewUpdate) => {
    // What it was given is nothing that somebody has typed.
    const text = state.doc.toString()
    if (docChanged && text !== value) props.onChange?.(text)
    if (docChanged || selectionSet) props.onSelect?.(state.selection.main)
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; what changes is told to it below
  useEffect(() => {
    if (host.current === null) return
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          lineNumbers(),
          foldGutter(),
          history(),
          drawSelection(),
          bracketMatching(),
          closeBrackets(),
          autocompletion({ icons: false }),
          EditorView.lineWrapping,
          syntaxHighlighting(colours),
          marked,
          look,
          languageSlot.of(languageOf(language, tables)),
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({
            'aria-label': label,
            // It has the focus without this too; tools that look for it find it so.
            tabindex: '0',
            ...(isReadOnly ? { 'aria-readonly': 'true' } : {}),
          }),
          ...(hint === undefined ? [] : [placeholder(hint)]),
          keymap.of([
            { key: 'Mod-Enter', run: editor => submit(editor) },
            ...defaultKeymap,
            ...historyKeymap,
            ...foldKeymap,
            ...searchKeymap,
          ]),
          EditorView.updateListener.of(update => tell(update)),
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [])

  useEffect(() => {
    const editor = view.current
    const present = editor?.state.doc.toString()
    if (editor === undefined || present === value) return
    editor.dispatch({ changes: { from: 0, to: present?.length ?? 0, insert: value } })
  }, [value])

  useEffect(() => {
    const length = view.current?.state.doc.length ?? 0
    const range = mark && { from: Math.min(mark.from, length), to: Math.min(mark.to, length) }
    view.current?.dispatch({
      effects: [setMark.of(range), ...(range === undefined ? [] : [EditorView.scrollIntoView(range.from)])],
    })
  }, [mark])

  useEffect(() => {
    view.current?.dispatch({ effects: languageSlot.reconfigure(languageOf(language, tables)) })
  }, [language, tables, languageSlot])

  return (
    <div
      ref={host}
      className={cn(
        'overflow-hidden rounded-md border border-kumo-line bg-kumo-base',
        'focus-within:ring-2 focus-within:ring-kumo-brand [&_.cm-editor]:max-h-[inherit]',
        className,
      )}
    />
  )
}

function languageOf(language: CodeMirrorProps['language'], tables: CodeMirrorProps['tables']): Extension {
  if (language === 'json') return json()
  if (language === 'sql')
    return sql({ dialect: PostgreSQL, schema: { ...tables } as Record<string, string[]> })
  return []
}
