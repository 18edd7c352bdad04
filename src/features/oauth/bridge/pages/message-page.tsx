// A page that says one thing: an error with its way on, or that something is done.

import type { PageFrame } from './frame.ts'
import { documentText, Page } from './page.tsx'

export interface MessageView {
  mood: 'good' | 'bad'
  title: string
  text: string
  /** What to do. */
  advice?: string | undefined
  /** A web address that was checked, or a path of ours. */
  link?: { url: string; text: string } | undefined
  /** Small print, line by line, for whoever is asked for help. */
  reference?: readonly (string | null | undefined)[]
}

export function renderMessagePage(view: MessageView, frame: PageFrame): string {
  const { mood, title, text, advice, link, reference = [] } = view
  return documentText(
    <Page frame={frame} title={title}>
      <div class={`mark ${mood}`} aria-hidden="true">
        {mood === 'good' ? '✓' : '!'}
      </div>
      <h1>{title}</h1>
      <p>{text}</p>
      {advice && <p>{advice}</p>}
      {link && (
        <div class="actions">
          <a class="button primary" href={link.url}>
            {link.text}
          </a>
        </div>
      )}
      <Reference lines={reference.filter(line => !!line)} />
    </Page>,
  )
}

function Reference({ lines }: { lines: readonly unknown[] }) {
  if (lines.length === 0) return null
  return (
    <p class="reference">
      {lines.map(line => (
        <span>{line}</span>
      ))}
    </p>
  )
}
