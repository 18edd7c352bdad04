// Every part of the platform with its state, each the way to its view.

import { LayerCard, Link, SkeletonLine } from '@cloudflare/kumo'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { bridgeQuery, oauthHealthQuery, statusQuery } from '../../api/platform.ts'
import { useSession } from '../../api/session.ts'
import { Section } from '../../parts/page.tsx'
import { State } from '../../parts/state.tsx'
import { migrationsQuery, webhooksQuery } from './queries.ts'

const PERMISSIONS = {
  up: { tone: 'good', words: 'Answers' },
  down: { tone: 'bad', words: 'Does not answer' },
  off: { tone: 'neutral', words: 'Off: no address is set' },
} as const

export function Health() {
  const { is_admin: isAdmin } = useSession()
  const status = useQuery({ ...statusQuery, enabled: isAdmin })
  return (
    <Section title="Health">
      <LayerCard className="p-0">
        <ul className="divide-y divide-kumo-hairline">
          {isAdmin && (
            <>
              <Part label="Database" href="/status" query={status}>
                {({ database: { state, latency_ms: latency } }) =>
                  state === 'up' ? (
                    <State tone="good">Answers, in {latency} ms</State>
                  ) : (
                    <State tone="bad">Does not answer</State>
                  )
                }
              </Part>
              <Part label="Row changes" href="/status" query={status}>
                {({ webhooks: { listener_connected: isConnected } }) =>
                  isConnected === null ? (
                    <State tone="neutral">Not known</State>
                  ) : isConnected ? (
                    <State tone="good">Listener connected</State>
                  ) : (
                    <State tone="attention">No listener connected</State>
                  )
                }
              </Part>
              <Part label="Permission server" href="/permissions/namespaces" query={status}>
                {({ permissions: { state } }) => (
                  <State tone={PERMISSIONS[state].tone}>{PERMISSIONS[state].words}</State>
                )}
              </Part>
            </>
          )}
          <OauthServer />
          <Bridge />
          <Webhooks />
          <Migrations />
        </ul>
      </LayerCard>
      {!isAdmin && (
        <p className="text-kumo-subtle">
          Administrators see the database, row changes and the permission server too.
        </p>
      )}
    </Section>
  )
}

function OauthServer() {
  return (
    <Part label="OAuth2 server" href="/oauth2" query={useQuery(oauthHealthQuery)}>
      {({ status, public: publicPort, admin }) => {
        if (status === 'ok') return <State tone="good">Answers, in {publicPort.latency_ms} ms</State>
        const isOff = publicPort.state === 'not_configured' && admin.state === 'not_configured'
        return isOff ? (
          <State tone="neutral">Off: no address is set</State>
        ) : (
          <State tone="bad">Unhealthy</State>
        )
      }}
    </Part>
  )
}

function Bridge() {
  return (
    <Part label="Login and consent" href="/oauth2" query={useQuery(bridgeQuery)}>
      {({ bridge_ready: isReady }) =>
        isReady ? <State tone="good">Ready</State> : <State tone="neutral">Off: an address is not set</State>
      }
    </Part>
  )
}

function Webhooks() {
  return (
    <Part label="Webhooks" href="/webhooks" query={useQuery(webhooksQuery)}>
      {webhooks => {
        const failing = webhooks.filter(({ state }) => state === 'failing').length
        if (webhooks.length === 0) return <State tone="neutral">None yet</State>
        if (failing > 0) return <State tone="bad">{`${failing} of ${webhooks.length} failing`}</State>
        return (
          <State tone="good">{webhooks.length === 1 ? 'One, healthy' : `${webhooks.length}, healthy`}</State>
        )
      }}
    </Part>
  )
}

function Migrations() {
  return (
    <Part label="Migrations" href="/database/migrations" query={useQuery(migrationsQuery)}>
      {({ applied, pending, modified }) => {
        if (modified > 0) return <State tone="bad">{modified} modified</State>
        if (pending > 0) return <State tone="attention">{pending} pending</State>
        return applied === 0 ? (
          <State tone="neutral">None yet</State>
        ) : (
          <State tone="good">{applied} applied</State>
        )
      }}
    </Part>
  )
}

function Part<Data>({
  label,
  href,
  query: { data, failureReason },
  children,
}: {
  label: string
  href: string
  query: UseQueryResult<Data>
  children: (data: Data) => ReactNode
}) {
  return (
    <li className="flex min-h-10 flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2">
      <Link href={href} variant="current">
        {label}
      </Link>
      {data !== undefined ? (
        children(data)
      ) : failureReason !== null ? (
        <State tone="attention">
          <span className="whitespace-normal">{failureReason.message}</span>
        </State>
      ) : (
        <SkeletonLine className="h-4 w-32" />
      )}
    </li>
  )
}
