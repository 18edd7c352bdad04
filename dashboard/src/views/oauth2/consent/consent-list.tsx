import { Badge, Button, Link } from '@cloudflare/kumo'
import { type Column, DataTable } from '../../../parts/data-table.tsx'
import { inWords } from '../../../parts/duration.ts'
import { None } from '../../../parts/facts.tsx'
import { Time } from '../../../parts/time.tsx'
import type { Consent } from './queries.ts'

export function ConsentList({
  consents,
  sort,
  onSort,
  onRevoke,
}: {
  consents: readonly Consent[]
  sort: string | undefined
  onSort: (sort: string | undefined) => void
  onRevoke: (consent: Consent) => void
}) {
  const actions: Column<Consent> = {
    id: 'actions',
    head: <span className="sr-only">Actions</span>,
    align: 'right',
    cell: consent => (
      <Button
        size="sm"
        variant="secondary-destructive"
        aria-label={`Revoke consents at ${clientName(consent)}`}
        onClick={() => onRevoke(consent)}
      >
        Revoke
      </Button>
    ),
  }
  return (
    <DataTable
      label="Consents"
      columns={[...COLUMNS, actions]}
      rows={consents}
      rowKey={consent => consent.consent_request_id ?? `${consent.client.client_id} ${consent.granted_at}`}
      sort={sort}
      onSort={onSort}
    />
  )
}

export function clientName({ client }: Consent): string {
  return client.client_name ?? client.client_id
}

const COLUMNS: Column<Consent>[] = [
  {
    id: 'client',
    head: 'Client',
    cell: consent => (
      <Link href={`/oauth2/clients/${encodeURIComponent(consent.client.client_id)}`}>
        {clientName(consent)}
      </Link>
    ),
    sortBy: consent => clientName(consent).toLowerCase(),
  },
  {
    id: 'scopes',
    head: 'Scopes',
    cell: ({ scopes }) =>
      scopes.length === 0 ? (
        <None />
      ) : (
        <span className="flex flex-wrap gap-1">
          {scopes.map(scope => (
            <Badge key={scope} variant="secondary" className="font-mono font-normal">
              {scope}
            </Badge>
          ))}
        </span>
      ),
  },
  {
    id: 'granted',
    head: 'Granted',
    cell: ({ granted_at: at }) => (at === null ? 'not known' : <Time at={at} />),
    sortBy: consent => consent.granted_at,
    isSecondary: true,
  },
  { id: 'remembered', head: 'Remembered', cell: remembered, isSecondary: true },
]

/** Whether the person is asked again. */
function remembered({ remember, remember_for: seconds }: Consent): string {
  if (!remember) return 'asked each time'
  return seconds === 0 ? 'until revoked' : `for ${inWords(seconds)}`
}
