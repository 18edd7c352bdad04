// The counts: what there is, each leading to its list.

import { LayerCard, Link, SkeletonLine } from '@cloudflare/kumo'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Schema } from '../../../api/client.ts'
import { clientsQuery, signingKeysQuery } from '../../../parts/oauth/queries.ts'
import { countsOf } from './client-kinds.ts'

const UNKNOWN = <span className="text-base font-normal">not known</span>

export function Tiles() {
  const { data: clients, failureReason } = useQuery(clientsQuery)
  const counts = clients === undefined ? undefined : countsOf(clients)
  const unknown = failureReason === null ? undefined : UNKNOWN
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
  const id = useQuery(signingKeysQuery('hydra.openid.id-token'))
  const access = useQuery(signingKeysQuery('hydra.jwt.access-token'))
  const hasFailed = id.failureReason !== null || access.failureReason !== null
  const isThere = id.data !== undefined && access.data !== undefined
  const count = isThere ? id.data.length + access.data.length : undefined
  const isRotating = (id.data?.length ?? 0) > 1 || (access.data?.length ?? 0) > 1
  const algorithms = `ID tokens ${algorithmOf(id.data)}, access tokens ${algorithmOf(access.data)}`
  return (
    <Tile
      label="Signing keys"
      href="/oauth2/keys"
      value={count ?? (hasFailed ? UNKNOWN : undefined)}
      note={isThere ? `${algorithms}${isRotating ? '; a rotation is under way' : ''}` : ''}
    />
  )
}

/** Of the key that signs, the newest. */
function algorithmOf([newest]: readonly Schema<'SigningKey'>[] = []): string {
  return newest?.algorithm ?? newest?.key_type ?? 'none yet'
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
