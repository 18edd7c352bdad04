// Is now a good moment to run what is pending?

import { Banner, Button } from '@cloudflare/kumo'
import { ArrowClockwiseIcon, CheckCircleIcon, WarningIcon } from '@phosphor-icons/react'
import type { UseQueryResult } from '@tanstack/react-query'
import { Loaded, Outline } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page.tsx'
import { Time } from '../../../parts/time.tsx'
import type { MigrationCheck } from './queries.ts'

export function MomentSection({ query }: { query: UseQueryResult<MigrationCheck> }) {
  return (
    <Section
      title="Before a run"
      actions={
        <>
          {query.data !== undefined && (
            <span className="text-sm text-kumo-subtle">
              Checked <Time at={new Date(query.dataUpdatedAt)} />
            </span>
          )}
          <Button
            size="sm"
            icon={ArrowClockwiseIcon}
            loading={query.isFetching}
            onClick={() => void query.refetch()}
          >
            Check again
          </Button>
        </>
      }
    >
      <Loaded query={query} outline={<Outline rows={2} />}>
        {check => <CheckVerdict of={check} />}
      </Loaded>
    </Section>
  )
}

/** Safe or not, why, and what was counted. */
export function CheckVerdict({ of: check }: { of: MigrationCheck }) {
  const { safe, warnings, lockCount, activeTxCount, database, user } = check
  const locks =
    lockCount === 0 ? 'no waiting locks' : `${lockCount} waiting ${lockCount === 1 ? 'lock' : 'locks'}`
  const transactions = activeTxCount === 1 ? '1 active transaction' : `${activeTxCount} active transactions`
  const counted = `In ${database}, as ${user}: ${locks}, ${transactions}.`
  return (
    <Banner
      variant={safe ? 'default' : 'alert'}
      icon={safe ? <CheckCircleIcon weight="fill" /> : <WarningIcon weight="fill" />}
      title={safe ? 'Now is a good moment' : 'Better to wait'}
      description={safe ? counted : `${warnings.join(' ')} ${counted}`}
    />
  )
}
