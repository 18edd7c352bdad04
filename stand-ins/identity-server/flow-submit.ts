// What submitting a flow has in common: which flow it is, what becomes of faults and errors, and of a flow that is
// over.

import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../service/json.ts'
import { queryOf } from '../service/route-table.ts'
import { answerError, answerJson } from '../service/wire-answers.ts'
import { WireError } from '../service/wire-error.ts'
import { isScript } from './accept.ts'
import { answerRedirect } from './answers.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import { csrfViolation, findCsrfSecret } from './csrf-gate.ts'
import { isCsrfTokenOf } from './csrf-token.ts'
import { type Field, type Flow, type FlowKind, fault, generalFault, type Message, withForm } from './flow.ts'
import { type FlowOf, isExpired, loadSubmittedFlow, saveFlow } from './flow-store.ts'
import { formText, readForm, UnreadableForm } from './flow-submission.ts'
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
  { kind }: Pick<Submission<K>, 'kind'>,
  flow: Flow,
): Promise<Response> {
  await saveFlow(context, kind, flow)
  if (flow.type === 'api' || isScript(c)) return answerJson(c, flow, 400)
  return answerRedirect(c, pageOf(context, kind, flow))
}

/** The page that shows the flow. */
export function pageOf(
  { addresses }: Pick<IdentityContext, 'addresses'>,
  kind: FlowKind,
  flow: Flow,
): string {
  return `${addresses.uiUrl}/${kind}?flow=${flow.id}`
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
  const id = kind === 'login' ? 4010001 : 4040001
  const message = fault(id, `The ${kind} flow expired, please try again.`, { expired_at: old.expires_at })
  const fresh = restart(old)
  const flow = withForm(fresh, fresh.ui.nodes, [message])
  await saveFlow(context, kind, flow)
  if (flow.type === 'browser' && !isScript(c)) return answerRedirect(c, pageOf(context, kind, flow))
  return answerError(
    c,
    new WireError(410, {
      id: 'self_service_flow_expired',
      reason: 'The self-service flow expired, initialize a new one.',
      beside: { use_flow_id: flow.id },
    }),
  )
}

/** The form of a flow; one that cannot be read goes back by `returned`, with the reason as its message. */
export async function readFlowForm(
  c: RequestContext,
  returned: (message: Message) => FlowFault,
): Promise<JsonObject> {
  try {
    return await readForm(c)
  } catch (err) {
    throw err instanceof UnreadableForm ? returned(generalFault(err.message)) : err
  }
}

/**
 * Stops a form that another site sends: a browser's needs the token of its cookie. An app's goes back by `returned`
 * when it has what only browsers send, a cookie or an origin.
 */
export function refuseForeignForm(
  context: IdentityContext,
  c: RequestContext,
  flow: Flow,
  form: JsonObject,
  returned: (message: Message) => FlowFault,
): void {
  if (flow.type === 'api') {
    if (!c.req.header('origin') && !c.req.header('cookie')) return
    throw returned(generalFault('The request is of a browser, but its flow was begun by an app.'))
  }
  const secret = findCsrfSecret(context, c)
  const token = c.req.header('x-csrf-token') ?? formText(form, 'csrf_token')
  if (secret === undefined || !isCsrfTokenOf(secret, token)) throw csrfViolation()
}

/** A flow in place of an old one, with times and an address of its own. */
export function renewed<F extends Flow>({ flowMs }: IdentityContext, old: F, nodes: readonly Field[]): F {
  const id = randomUUID()
  const now = new Date()
  return {
    ...old,
    id,
    ui: { action: old.ui.action.replace(old.id, id), method: 'POST', nodes },
    issued_at: now.toISOString(),
    expires_at: new Date(now.getTime() + flowMs).toISOString(),
  }
}
