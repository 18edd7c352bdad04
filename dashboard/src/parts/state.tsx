// A state as a word with a dot: never by colour alone.

import { cn } from '@cloudflare/kumo'

const DOTS = {
  good: 'bg-kumo-success',
  bad: 'bg-kumo-danger',
  attention: 'bg-kumo-warning',
  neutral: 'bg-kumo-contrast opacity-40',
  busy: 'bg-kumo-info animate-pulse',
}
export type Tone = keyof typeof DOTS

export function State({ tone, children }: { tone: Tone; children: React.ReactNode }) {
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <span aria-hidden="true" className={cn('size-2 shrink-0 rounded-full', DOTS[tone])} />
      {children}
    </span>
  )
}
