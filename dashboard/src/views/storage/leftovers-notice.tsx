// What the sweep of files has found and people should know: that it has stopped, and rows that lost their files.

import { Banner } from '@cloudflare/kumo'
import { InfoIcon, WarningCircleIcon } from '@phosphor-icons/react'
import type { Schema } from '../../api/client.ts'
import { bytesText } from '../../parts/bytes.ts'
import { Time } from '../../parts/time.tsx'
import { filesWords } from './bucket-words.tsx'

type Leftovers = Schema<'StorageLeftovers'>

/** Nothing where nothing was found: deleted files that wait for their end are no finding. */
export function LeftoversNotice({ of: leftovers }: { of: Leftovers }) {
  const { halted, missing, orphans } = leftovers
  return (
    <>
      {halted !== null && (
        <Banner
          variant="error"
          icon={<WarningCircleIcon weight="fill" />}
          title="The sweep of files has stopped, and deletes nothing"
          description={
            <span className="wrap-anywhere">
              <Time at={halted.at} />: {halted.reason}. docs/operate.md says how it goes on.
            </span>
          }
        />
      )}
      {missing.count > 0 && (
        <Banner
          variant="alert"
          icon={<WarningCircleIcon weight="fill" />}
          title={`${filesWords(missing.count)} lost: the rows are there, the bytes are not`}
          description={
            <span className="wrap-anywhere">
              {missing.names.join(', ')}
              {missing.count > missing.names.length && ' and more'}. Upload them again, or delete them.
            </span>
          }
        />
      )}
      {orphans.count > 0 && (
        <Banner
          variant="secondary"
          icon={<InfoIcon weight="fill" />}
          title={`${bytesText(orphans.bytes)} in ${filesWords(orphans.count)} without a row, as a crash leaves them`}
          description="The sweep deletes them a day after STORAGE_RETENTION. Nothing is to be done."
        />
      )}
    </>
  )
}
