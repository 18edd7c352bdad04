// The first step of a new client: what kind of application it is for.

import { cn, Link } from '@cloudflare/kumo'
import {
  BrowserIcon,
  CaretRightIcon,
  HardDrivesIcon,
  type Icon,
  RobotIcon,
  SlidersHorizontalIcon,
  TelevisionIcon,
} from '@phosphor-icons/react'
import { TEMPLATE_WORDS, TEMPLATES, type Template } from './templates.ts'

const ICONS: Record<Template, Icon> = {
  browser: BrowserIcon,
  server: HardDrivesIcon,
  machine: RobotIcon,
  device: TelevisionIcon,
  blank: SlidersHorizontalIcon,
}

export function TemplateChoice() {
  return (
    <ul className="grid max-w-4xl gap-3 md:grid-cols-2">
      {TEMPLATES.map(template => {
        const TemplateIcon = ICONS[template]
        const { label, sentence } = TEMPLATE_WORDS[template]
        return (
          <li
            key={template}
            className={cn(
              'relative flex gap-4 rounded-lg border border-kumo-line bg-kumo-base p-4',
              'focus-within:border-kumo-brand hover:bg-kumo-tint',
            )}
          >
            <TemplateIcon size={24} aria-hidden="true" className="mt-0.5 shrink-0 text-kumo-subtle" />
            <div className="min-w-0 flex-1">
              <Link
                variant="plain"
                href={`/oauth2/clients?${new URLSearchParams({ create: 'true', template })}`}
                className="font-medium after:absolute after:inset-0"
              >
                {label}
              </Link>
              <p className="mt-1 text-kumo-subtle">{sentence}</p>
            </div>
            <CaretRightIcon aria-hidden="true" className="mt-1 shrink-0 text-kumo-subtle" />
          </li>
        )
      })}
    </ul>
  )
}
