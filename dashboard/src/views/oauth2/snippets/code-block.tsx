// A program to read and copy. Comments and texts stand out; more colour would need a grammar for each language.

import { CopyButton } from '../../../parts/copy-button.tsx'

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
  return (
    <figure className="overflow-hidden rounded-lg border border-kumo-line bg-kumo-base">
      <figcaption className="flex items-center gap-3 border-b border-kumo-hairline py-1.5 pr-2 pl-4">
        <code className="min-w-0 flex-1 truncate text-kumo-subtle">{label}</code>
        {/* Of another program nothing is copied yet. */}
        <CopyButton key={code} text={code} label={`Copy ${label}`}>
          Copy
        </CopyButton>
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
