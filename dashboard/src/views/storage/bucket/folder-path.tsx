// Where in the bucket we are, and the way back.

import { Link } from '@cloudflare/kumo'
import { CaretRightIcon } from '@phosphor-icons/react'
import { addressOf } from '../../../app/address.ts'
import { stepsOf } from './names.ts'

export function FolderPath({ bucket, folder }: { bucket: string; folder: string }) {
  const steps = stepsOf(folder)
  const path = `/storage/${encodeURIComponent(bucket)}`
  const all = [
    { label: bucket, href: path },
    ...steps.map(({ label, prefix }) => ({ label, href: addressOf(path, { folder: prefix }) })),
  ]
  return (
    <nav aria-label="Folders">
      <ol className="flex flex-wrap items-center gap-x-1.5 gap-y-1">
        {all.map(({ label, href }, i) => (
          <li key={href} className="inline-flex max-w-full items-center gap-1.5">
            {i > 0 && <CaretRightIcon aria-hidden="true" className="shrink-0 text-kumo-subtle" />}
            {i === all.length - 1 ? (
              <span aria-current="page" className="font-medium wrap-anywhere">
                {label}
              </span>
            ) : (
              <Link href={href} className="wrap-anywhere">
                {label}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}
