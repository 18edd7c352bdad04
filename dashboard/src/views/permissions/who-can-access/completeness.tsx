import { Banner } from '@cloudflare/kumo'
import { WarningIcon } from '@phosphor-icons/react'
import { limitWords } from '../../../parts/tuples/words.ts'
import type { AccessReport } from './queries.ts'

/** Says what may be missing, and why. Nothing where the answer is whole. */
export function Completeness({ report }: { report: AccessReport }) {
  const cut = report.permits.filter(({ complete }) => !complete)
  if (report.complete && cut.length === 0) return null
  return (
    <Banner
      variant="alert"
      icon={<WarningIcon weight="fill" />}
      title={report.complete ? 'Permits may lack somebody' : 'Somebody may be missing here'}
      description={
        <ul className="flex flex-col gap-1">
          {!report.complete && <li>Relations: {limitWords(report.truncated_by)}</li>}
          {cut.map(({ permit, truncated_by: limit }) => (
            <li key={permit}>
              {permit}: {limitWords(limit)}
            </li>
          ))}
          <li>A question mark stands where nothing was found and something may be hidden.</li>
        </ul>
      }
    />
  )
}
