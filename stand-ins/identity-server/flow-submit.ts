// What submitting a flow has in common: which flow it is, what becomes of faults and errors, and of a flow that is
// over.

import type { JsonObject } from '../service/json.ts'
import { queryOf } from '../service/route-table.ts'
import { answerError, answerJson } from '../service/wire-answers.ts'
import { badRequest, WireError } from '../service/wire-error.ts'
import { isJsonRequest } from './accept.ts'
import { answerRedirect } from './answers.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import { csrfViolation, findCsrfSecret } from './csrf-gate.ts'
import { isCsrfTokenOf } from './csrf-token.ts'
import { type Flow, type FlowKind, fault, withForm } from './flow.ts'
import { type FlowOf, isExpired, loadSubmittedFlow, saveFlow } from './flow-store.ts'
import { formText } from './flow-submission.ts'
import { forwardError } from './self-service-errors.ts'

/** The form goes back to whoever sent it, with what is wrong with it; not an error of the server's. */
export class FlowFault<F extends Flow = Flow> extends Error {
  readonly flow: F

  constructor(flow: F) {
    super('the form is returned')
    this.flow = flow
  }
}

interface Submission<K extends FlowKind> {
  readonly kind: K
  /** How a browser is sent back to the form: the real server differs between its flows. */
  readonly faultStatus: 302 | 303
  /** Another flow in place of one that is over; not saved. */
  readonly restart: (old: FlowOf[K]) => FlowOf[K]
  /** The answer to a form that is right; throws `FlowFault` for one that is not. */
  readonly complete: (flow: FlowOf[K]) => Promise<Response>
}

export async function submitFlow<K extends FlowKind>(
  context: IdentityContext,
  c: RequestContext,
  submission: Submission<K>,
): Promise<Response> {
  let flow: FlowOf[K] | undefined
  try {
    flow = await loadSubmittedFlow(context, submission.kind, queryOf(c))
    return await submission.complete(flow)
  } catch (err) {
    if (err instanceof FlowFault) return answerFlow(context, c, submission, err.flow)
    if (err instanceof ExpiredFlow && flow !== undefined) return answerExpired(context, c, submission, flow)
    return flow?.type === 'api' ? answerError(c, err) : forwardError(context, c, err)
  }
}

async function answerFlow<K extends FlowKind>(
  context: IdentityContext,
  c: RequestContext,
  { kind, faultStatus }: Pick<Submission<K>, 'kind' | 'faultStatus'>,
  flow: Flow,
): Promise<Response> {
  await saveFlow(context, kind, flow)
  if (flow.type === 'api' || isScript(c)) return answerJson(c, flow, 400)
  return answerRedirect(c, pageOf(context, kind, flow), faultStatus)
}

/** The page that shows the flow. */
export function pageOf(
  { addresses }: Pick<IdentityContext, 'addresses'>,
  kind: FlowKind,
  flow: Flow,
): string {
  return `${addresses.uiUrl}/${kind}?flow=${flow.id}`
}

export function isScript(c: RequestContext): boolean {
  return isJsonRequest(name => c.req.header(name))
}

/** Thrown by `requireOpen`. */
class ExpiredFlow extends Error {}

/** A form may be filled in for a while only; then another takes its place. */
export function requireOpen(flow: Flow): void {
  if (isExpired(flow)) throw new ExpiredFlow()
}

async function answerExpired<K extends FlowKind>(
  context: IdentityContext,
  c: RequestContext,
  { kind, restart }: Submission<K>,
  old: FlowOf[K],
): Promise<Response> {
  const expiredAt = new Date(old.expires_at)
  const minutes = ((Date.now() - expiredAt.getTime()) / 60_000).toFixed(2)
  const id = kind === 'login' ? 4010001 : 4040001
  const message = fault(id, `The ${kind} flow expired ${minutes} minutes ago, please try again.`, {
    expired_at: old.expires_at,
    expired_at_unix: Math.floor(expiredAt.getTime() / 1000),
  })
  const fresh = restart(old)
  const flow = withForm(fresh, fresh.ui.nodes, [message])
  await saveFlow(context, kind, flow)
  if (flow.type === 'browser' && !isScript(c)) return answerRedirect(c, pageOf(context, kind, flow))
  return answerError(
    c,
    new WireError(410, {
      id: 'self_service_flow_expired',
      reason: `The self-service flow expired ${minutes} minutes ago, initialize a new one.`,
      message: 'self-service flow expired',
      beside: {
        expired_at: old.expires_at,
        since: (Date.now() - expiredAt.getTime()) * 1_000_000,
        use_flow_id: flow.id,
      },
    }),
  )
}

/**
 * Stops a form that another site sends: a browser's needs the token of its cookie; an app's is refused (400) when it
 * has what only browsers send, a cookie or an origin.
 */
export function refuseForeignForm(
  context: IdentityContext,
  c: RequestContext,
  flow: Flow,
  form: JsonObject,
): void {
  if (flow.type === 'api') {
    if (c.req.header('origin'))
      throw badRequest(browserOnly('Origin', ' as part of an AJAX request in a Browser'))
    if (hasForeignCookies(c)) throw badRequest(browserOnly('Cookie', ' by a Browser'))
    return
  }
  const secret = findCsrfSecret(context, c)
  const token = c.req.header('x-csrf-token') ?? formText(form, 'csrf_token')
  if (secret === undefined || !isCsrfTokenOf(secret, token)) throw csrfViolation(context, c, token)
}

/** Cookies that a proxy adds to every request do not make it a browser's. */
function hasForeignCookies(c: RequestContext): boolean {
  const names = (c.req.header('cookie') ?? '').split(';').map(pair => pair.split('=')[0]?.trim() ?? '')
  return names.some(name => name !== '' && !/^(__cf|_cf|cf_)/.test(name))
}

function browserOnly(header: string, how: string): string {
  return (
    `The HTTP Request Header included the "${header}" key, indicating that this request was ` +
    `made${how}. The flow however was initiated as an API request. To prevent potential misuse and mitigate ` +
    'several attack vectors including CSRF, the request has been blocked. Please consult the documentation.'
  )
}
