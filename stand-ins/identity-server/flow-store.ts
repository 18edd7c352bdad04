// The rows of flows, and the rules for reading one: a browser's flow needs that browser's cookie, an old one is gone.

import { badRequest, WireError } from '../service/wire-error.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import { csrfViolation, findCsrfSecret } from './csrf-gate.ts'
import { isCsrfTokenOf } from './csrf-token.ts'
import { type Flow, type FlowKind, fieldText, type LoginFlow, type RegistrationFlow } from './flow.ts'
import { parseUuid } from './uuid.ts'
import { noSuchResource } from './wire-error.ts'

export interface FlowOf {
  readonly login: LoginFlow
  readonly registration: RegistrationFlow
}

/** Makes the flow, or writes what became of it. */
export async function saveFlow(
  { db }: Pick<IdentityContext, 'db'>,
  kind: FlowKind,
  flow: Flow,
): Promise<void> {
  await db.query(
    `insert into flows (id, kind, body, expires_at) values ($1, $2, $3, $4)
     on conflict (id) do update set body = excluded.body`,
    [flow.id, kind, JSON.stringify(flow), flow.expires_at],
  )
}

/** Throws 404 when there is no flow of this kind under the id. */
export async function loadFlow<K extends FlowKind>(
  { db }: Pick<IdentityContext, 'db'>,
  kind: K,
  id: string | undefined,
): Promise<FlowOf[K]> {
  const { rows } = await db.query<{ body: FlowOf[K] }>('select body from flows where id = $1 and kind = $2', [
    id ?? null,
    kind,
  ])
  if (rows[0] === undefined) throw noSuchResource()
  return rows[0].body
}

/** The flow that a form is sent to, of the query; 400 without one. */
export async function loadSubmittedFlow<K extends FlowKind>(
  context: Pick<IdentityContext, 'db'>,
  kind: K,
  query: URLSearchParams,
): Promise<FlowOf[K]> {
  const id = parseUuid(query.get('flow') ?? '')
  if (id === undefined) throw badRequest('The flow query parameter is missing or malformed.')
  return loadFlow(context, kind, id)
}

/** The flow for the page that shows it: 404, 403 for another browser, 410 when it is over. */
export async function readFlow<K extends FlowKind>(
  context: IdentityContext,
  kind: K,
  c: RequestContext,
  id: string,
): Promise<FlowOf[K]> {
  const flow = await loadFlow(context, kind, parseUuid(id))
  if (flow.type === 'browser') requireOwnBrowser(context, c, flow)
  if (!isExpired(flow)) return flow
  throw expiredFlow(context, kind, flow)
}

function requireOwnBrowser(context: IdentityContext, c: RequestContext, flow: Flow): void {
  const secret = findCsrfSecret(context, c)
  if (secret === undefined || !isCsrfTokenOf(secret, fieldText(flow, 'csrf_token'))) throw csrfViolation()
}

export function isExpired(flow: Flow): boolean {
  return new Date(flow.expires_at) < new Date()
}

function expiredFlow({ addresses }: IdentityContext, kind: FlowKind, flow: Flow): WireError {
  const start = `${addresses.publicUrl}/self-service/${kind}`
  const query = flow.return_to === undefined ? '' : `?${new URLSearchParams({ return_to: flow.return_to })}`
  const isBrowser = flow.type === 'browser'
  return new WireError(410, {
    id: 'self_service_flow_expired',
    reason: `The ${kind} flow has expired, begin another.`,
    details: isBrowser
      ? { redirect_to: `${start}/browser${query}`, return_to: flow.return_to ?? '' }
      : { api: `${start}/api` },
  })
}
