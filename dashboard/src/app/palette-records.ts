// What the search finds beside views: actions that views offer, and records by name or id.

import { queryOptions } from '@tanstack/react-query'
import { answerOf, api } from '../api/client.ts'
import type { PaletteItem } from './command-palette.tsx'

const ACTIONS: PaletteItem[] = [
  { id: 'create client', title: 'Create client', note: 'OAuth2', href: '/oauth2/clients?create=true' },
  { id: 'introspect', title: 'Introspect a token', note: 'OAuth2', href: '/oauth2/tokens' },
  { id: 'rotate signing', title: 'Rotate signing keys', note: 'OAuth2', href: '/oauth2/keys?rotate=true' },
  { id: 'revoke consents', title: 'Revoke consents', note: 'OAuth2', href: '/oauth2/consent' },
  {
    id: 'run migrations',
    title: 'Run pending migrations',
    note: 'Database',
    href: '/database/migrations?run=true',
  },
  { id: 'create webhook', title: 'Create webhook', note: 'Webhooks', href: '/webhooks?create=true' },
]

/** Of the views that are there. */
export function paletteActions(views: readonly { options: unknown }[]): PaletteItem[] {
  const paths = new Set(views.map(({ options }) => (options as { path: string }).path))
  return ACTIONS.filter(({ href }) => paths.has(href.split('?')[0] ?? ''))
}

/** Read when the search opens. A list that cannot be read is left out: the search goes on without it. */
export function paletteRecordsQuery(isAdmin: boolean) {
  return queryOptions({
    queryKey: ['palette', isAdmin],
    queryFn: async (): Promise<PaletteItem[]> => {
      const forAdmins = isAdmin ? [identities(), tables()] : []
      const lists = await Promise.allSettled([clients(), webhooks(), ...forAdmins])
      return lists.flatMap(list => (list.status === 'fulfilled' ? list.value : []))
    },
    staleTime: 30_000,
    retry: false,
  })
}

async function clients(): Promise<PaletteItem[]> {
  const all = await answerOf(api.GET('/api/oauthsrv/clients'))
  return all.map(({ client_id: id, client_name: name }) => ({
    id: `client ${id}`,
    title: name || id,
    note: 'Client',
    keywords: id,
    href: `/oauth2/clients/${encodeURIComponent(id)}`,
  }))
}

/** For administrators: the first page, which is everybody of a small product. */
async function identities(): Promise<PaletteItem[]> {
  const { data } = await answerOf(api.GET('/api/auth/identities', { params: { query: { limit: 500 } } }))
  return data.map(({ id, traits: { email, name } }) => ({
    id: `identity ${id}`,
    title: typeof email === 'string' ? email : id,
    note: 'Identity',
    keywords: `${id} ${typeof name === 'string' ? name : Object.values(name ?? {}).join(' ')}`,
    href: `/identities/${encodeURIComponent(id)}`,
  }))
}

async function webhooks(): Promise<PaletteItem[]> {
  const { data } = await answerOf(api.GET('/api/webhooks', { params: { query: { limit: 1_000 } } }))
  return data.map(({ id, name, table_name: table }) => ({
    id: `webhook ${id}`,
    title: name,
    note: 'Webhook',
    keywords: `${id} ${table}`,
    href: `/webhooks/${id}`,
  }))
}

async function tables(): Promise<PaletteItem[]> {
  const { tables: all } = await answerOf(api.GET('/api/database/tables'))
  return all.map(({ schema, name }) => ({
    id: `table ${schema}.${name}`,
    title: name,
    note: `Table of ${schema}`,
    keywords: `${schema}.${name}`,
    href: `/database/tables/${encodeURIComponent(schema)}/${encodeURIComponent(name)}`,
  }))
}
