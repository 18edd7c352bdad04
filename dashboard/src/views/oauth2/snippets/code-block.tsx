// A program to read and copy. Comments and texts stand out; more colour would need a grammar for each language.

import { Button } from '@cloudflare/kumo'
import { CheckIcon, CopyIcon } from '@phosphor-icons/react'
import { useEffect, useState } from 'react'

const CONFIRMATION_MS = 1_500

const TEXT = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/
const TOKENS = {
  '#': new RegExp(`(?<comment>(?<=^|\\s)#.*)|(?<text>${TEXT.source})`, 'gm'),
  '//': new RegExp(`(?<comment>(?<=^|\\s)//.*)|(?<text>${TEXT.source})`, 'gm'),
}
const LOOKS = { comment: 'text-kumo-subtle italic', text: 'text-kumo-brand', rest: '' }

export function CodeBlock({
  label,
  code,
  comment,
}: {
  label: string
  code: string
  /** What begins one. */
  comment: keyof typeof TOKENS
}) {
  const [copied, setCopied] = useState<string>()
  const isCopied = copied === code
  useEffect(() => {
    if (copied === undefined) return
    const timer = setTimeout(() => setCopied(undefined), CONFIRMATION_MS)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    await navigator.clipboard.writeText(code)
    setCopied(code)
  }
  return (
    <figure className="overflow-hidden rounded-lg border border-kumo-line bg-kumo-base">
      <figcaption className="flex items-center gap-3 border-b border-kumo-hairline py-1.5 pr-2 pl-4">
        <code className="min-w-0 flex-1 truncate text-kumo-subtle">{label}</code>
        <Button size="sm" icon={isCopied ? CheckIcon : CopyIcon} onClick={copy} aria-label={`Copy ${label}`}>
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
        <span role="status" className="sr-only">
          {isCopied && 'Copied'}
        </span>
      </figcaption>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        aria-label={label}
        className="overflow-x-auto px-4 py-3"
      >
        <pre className="leading-relaxed">
          <code>
            {partsOf(code, TOKENS[comment]).map(({ at, look, text }) => (
              <span key={at} className={LOOKS[look]}>
                {text}
              </span>
            ))}
          </code>
        </pre>
      </section>
    </figure>
  )
}

interface Part {
  at: number
  look: keyof typeof LOOKS
  text: string
}

function partsOf(code: string, tokens: RegExp): Part[] {
  const parts: Part[] = []
  let end = 0
  for (const { 0: text, index, groups } of code.matchAll(tokens)) {
    parts.push({ at: end, look: 'rest', text: code.slice(end, index) })
    parts.push({ at: index, look: groups?.['comment'] === undefined ? 'text' : 'comment', text })
    end = index + text.length
  }
  parts.push({ at: end, look: 'rest', text: code.slice(end) })
  return parts.filter(part => part.text !== '')
}
