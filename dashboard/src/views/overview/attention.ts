// What needs somebody, from what the server says of itself. Pure.

import type { Schema } from '../../api/schema.ts'

const DAY_MS = 86_400_000

export interface Attention {
  tone: 'bad' | 'attention'
  text: string
  /** Where to look, and what stands there. */
  way?: { href: string; label: string } | undefined
}

export interface GivenUp {
  webhook: Schema<'Webhook'>
  /** Events of the last day that were not delivered since. */
  count: number
}

/** What is known by now; a part that this session may not ask for stays undefined. */
export interface Known {
  status?: Schema<'PlatformStatus'> | undefined
  oauth?: Schema<'OAuthServerHealth'> | undefined
  bridge?: Schema<'BridgeStatus'> | undefined
  webhooks?: readonly Schema<'Webhook'>[] | undefined
  givenUp?: readonly GivenUp[] | undefined
  migrations?: Schema<'MigrationStatus'>['summary'] | undefined
  /** What could not be read, and why. */
  failures?: readonly { part: string; message: string }[]
  /** Newest first. */
  failedChanges?: readonly Schema<'AuditLog'>[] | undefined
}

/** The worst first. */
export function attentionOf(known: Known): Attention[] {
  const all = [
    ...ofPlatform(known),
    ...ofFailures(known),
    ...ofOauth(known),
    ...ofWebhooks(known),
    ...ofMigrations(known),
    ...ofChanges(known),
  ]
  return [...all.filter(({ tone }) => tone === 'bad'), ...all.filter(({ tone }) => tone !== 'bad')]
}

/** Nobody may call well what could not be looked at. */
function ofFailures({ failures = [] }: Known): Attention[] {
  return [...Map.groupBy(failures, ({ message }) => message)].map(([message, parts]) => ({
    tone: 'bad',
    text: `Could not be read: ${parts.map(({ part }) => part).join(', ')}. ${message}`,
  }))
}

/** In the server's own words, which say what to do. */
function ofPlatform({ status }: Known): Attention[] {
  if (status === undefined) return []
  const way = { href: '/status', label: 'Open status' }
  return [
    ...status.problems.map(text => ({ tone: 'bad' as const, text, way })),
    ...status.warnings.map(text => ({ tone: 'attention' as const, text })),
  ]
}

function ofOauth({ oauth, bridge, status }: Known): Attention[] {
  const found: Attention[] = []
  const way = { href: '/oauth2', label: 'Open OAuth2' }
  for (const [name, port, variable] of [
    ['public', oauth?.public, 'OAUTH_PUBLIC_URL'],
    ['admin', oauth?.admin, 'OAUTH_ADMIN_URL'],
  ] as const) {
    if (port?.state === 'down')
      found.push({
        tone: 'bad',
        text: `The OAuth2 server’s ${name} port does not answer. Look at it, and at ${variable}.`,
        way,
      })
    if (port?.state === 'misconfigured')
      found.push({
        tone: 'bad',
        text: `What answers at ${variable} is not the OAuth2 server, or it refuses Quoin.`,
        way,
      })
  }
  if (bridge?.oauth_server_configured && !bridge.identity_configured)
    found.push({
      tone: 'attention',
      text: 'Nobody can sign in to applications: IDENTITY_PUBLIC_URL is not set.',
      way,
    })
  // The platform's status says the same of a port that is down.
  return found.filter(({ text }) => !status?.problems.includes(text))
}

function ofWebhooks({ webhooks = [], givenUp = [] }: Known): Attention[] {
  const failing = webhooks.flatMap((webhook): Attention[] => {
    const { id, name, state, fail_count: count, table_watched: isWatched } = webhook
    const way = wayTo(id)
    if (state === 'failing')
      return [{ tone: 'bad', text: `Webhook “${name}” fails: ${count} attempts in a row.`, way }]
    if (state === 'paused_by_receiver')
      return [
        {
          tone: 'attention',
          text: `The receiver of webhook “${name}” wants no more deliveries: it answered 410 Gone.`,
          way,
        },
      ]
    if (!isWatched) return [{ tone: 'bad', text: `The table of webhook “${name}” is gone.`, way }]
    if (count === 0) return []
    const attempts = count === 1 ? 'The last attempt' : `The last ${count} attempts`
    return [{ tone: 'attention', text: `${attempts} of webhook “${name}” failed; it is tried again.`, way }]
  })
  const letters = givenUp.map(({ webhook: { id, name }, count }): Attention => {
    const events = count === 1 ? 'One event' : `${count} events`
    return {
      tone: 'bad',
      text: `${events} of webhook “${name}” were given up in the last day.`,
      way: wayTo(id),
    }
  })
  return [...failing, ...letters]
}

function wayTo(webhookId: string): Attention['way'] {
  return { href: `/webhooks/${webhookId}`, label: 'Open webhook' }
}

function ofMigrations({ migrations }: Known): Attention[] {
  if (migrations === undefined) return []
  const way = { href: '/database/migrations', label: 'Open migrations' }
  const { modified, orphaned, pending } = migrations
  const found: Attention[] = []
  if (modified > 0) found.push({ tone: 'bad', text: `${files(modified)} changed after being applied.`, way })
  if (orphaned > 0)
    found.push({ tone: 'attention', text: `${files(orphaned)} applied, and gone from the folder.`, way })
  if (pending > 0) found.push({ tone: 'attention', text: `${files(pending)} waiting to be run.`, way })
  return found
}

function files(count: number): string {
  return count === 1 ? 'One migration is' : `${count} migrations are`
}

/** Of many one line: the newest, and the way to all. */
function ofChanges({ failedChanges: [newest, ...others] = [] }: Known): Attention[] {
  if (newest === undefined) return []
  const { action, actor_name: actor, error_code: code, created_at: at } = newest
  const fact = `${action} by ${actor ?? 'an unknown actor'} failed in the last day${code === null ? '' : ` (${code})`}`
  const text = others.length === 0 ? `${fact}.` : `${fact}, and ${others.length} more.`
  const from = new Date(Date.parse(at) - DAY_MS).toISOString()
  const way = {
    href: `/audit-log?${new URLSearchParams({ outcome: 'failed', from })}`,
    label: 'Open the audit log',
  }
  return [{ tone: 'attention', text, way }]
}
