// The counts: what there is, each leading to its list.

import { LayerCard, Link, SkeletonLine } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { countsOf } from './client-kinds.ts'
import { algorithmsQuery, clientsQuery } from './queries.ts'

export function Tiles() {
  const { data: clients, error } = useQuery(clientsQuery)
  const counts = clients === undefined ? undefined : countsOf(clients)
  const unknown = error === null ? undefined : 'not known'
  return (
    <ul className="grid grid-cols-2 gap-3 lg:grid-cols-4" aria-label="What there is">
      <Tile
        label="Confidential clients"
        href="/oauth2/clients"
        value={counts?.confidential ?? unknown}
        note="Servers that keep a secret"
      />
      <Tile
        label="Public clients"
        href="/oauth2/clients"
        value={counts?.public ?? unknown}
        note={`Apps and pages, with PKCE${counts?.device ? `; ${counts.device} for devices` : ''}`}
      />
      <Tile
        label="Machine clients"
        href="/oauth2/clients"
        value={counts?.machine ?? unknown}
        note="Of the confidential ones; nobody signs in"
      />
      <SigningKeys />
    </ul>
  )
}

/** A set with more than one key is a rotation that nobody has ended yet. */
function SigningKeys() {
  const id = useQuery(algorithmsQuery('hydra.openid.id-token'))
  const access = useQuery(algorithmsQuery('hydra.jwt.access-token'))
  const hasFailed = id.error !== null || access.error !== null
  const isThere = id.data !== undefined && access.data !== undefined
  const count = isThere ? id.data.length + access.data.length : undefined
  const isRotating = (id.data?.length ?? 0) > 1 || (access.data?.length ?? 0) > 1
  const algorithms = `ID tokens ${id.data?.[0] ?? 'none yet'}, access tokens ${access.data?.[0] ?? 'none yet'}`
  return (
    <Tile
      label="Signing keys"
      href="/oauth2/keys"
      value={count ?? (hasFailed ? 'not known' : undefined)}
      note={isThere ? `${algorithms}${isRotating ? '; a rotation is under way' : ''}` : ''}
    />
  )
}

function Tile({
  label,
  href,
  value,
  note,
}: {
  label: string
  href: string
  /** Not there yet: its outline. */
  value: ReactNode | undefined
  note: string
}) {
  return (
    <li className="flex">
      <LayerCard className="relative flex flex-1 flex-col gap-1 p-4 hover:bg-kumo-tint">
        <Link href={href} variant="plain" className="text-kumo-subtle after:absolute after:inset-0">
          {label}
        </Link>
        <span className="text-2xl font-semibold tabular-nums">
          {value ?? <SkeletonLine className="h-7 w-10" />}
        </span>
        <span className="text-sm text-kumo-subtle">{note}</span>
      </LayerCard>
    </li>
  )
}
