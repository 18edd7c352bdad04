// An error beside what it belongs to: what happened, what to do, and the id that finds it in the log.

import { Banner, Link } from '@cloudflare/kumo'
import { WarningCircleIcon } from '@phosphor-icons/react'
import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../api/errors.ts'
import { sessionQuery } from '../api/session.ts'
import { CopyText } from './copy-text.tsx'
import { fieldErrors } from './field-errors.ts'
import { requestHref } from './request-href.ts'

/** Shows nothing without an error. `title` says which action failed, where that is not plain from its place. */
export function ErrorNotice({ error, title }: { error: Error | null | undefined; title?: string }) {
  if (!error) return null
  const { detail, hint, requestId } = error instanceof ApiError ? error : NOTHING_MORE
  const complaints = fieldErrors(error)
  return (
    <Banner
      variant="error"
      role="alert"
      icon={<WarningCircleIcon weight="fill" />}
      title={title ?? (complaints.size > 0 ? 'Some values are not valid' : error.message)}
      description={
        <span className="flex flex-col gap-1 wrap-anywhere">
          {[...complaints].map(([field, complaint]) => (
            <span key={field}>
              <code>{field}</code>: {complaint}
            </span>
          ))}
          {complaints.size === 0 && title !== undefined && <span>{error.message}</span>}
          {complaints.size === 0 && detail && <span>{detail}</span>}
          {hint && <span>{hint}</span>}
          {requestId && (
            <span className="flex flex-wrap items-center gap-1">
              Request
              <CopyText value={requestId} />
              <RequestLink id={requestId} />
            </span>
          )}
        </span>
      }
    />
  )
}

const NOTHING_MORE = { detail: null, hint: null, requestId: null }

/** For administrators, who may read the log. */
function RequestLink({ id }: { id: string }) {
  const { data: session } = useQuery({ ...sessionQuery, enabled: false })
  if (session?.is_admin !== true) return null
  return (
    <Link href={requestHref(id)} variant="current">
      Show it in the logs
    </Link>
  )
}
