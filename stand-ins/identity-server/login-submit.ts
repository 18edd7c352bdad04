// A login form: checked, the password compared, a session made. Tells a wrong password and an unknown person apart in
// nothing, not even in time.

import { answerJson } from '../service/wire-answers.ts'
import { isScript } from './accept.ts'
import { answerRedirect } from './answers.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import { fieldText, generalFault, type LoginFlow, type Message, missingFault, withForm } from './flow.ts'
import { returnUrl } from './flow-start.ts'
import { saveFlow } from './flow-store.ts'
import { formText } from './flow-submission.ts'
import {
  FlowFault,
  readFlowForm,
  refuseForeignForm,
  renewed,
  requireOpen,
  submitFlow,
} from './flow-submit.ts'
import { type Identity, passwordHash } from './identity.ts'
import { findByPasswordIdentifier } from './identity-store.ts'
import { INVALID_CREDENTIALS, loginFields, NO_LOGIN_METHOD, secondFactorFields } from './login-form.ts'
import { isPassword } from './password.ts'
import { type CurrentSession, findRequestSession } from './request-session.ts'
import { issueSessionCookie, signIn } from './sign-in.ts'
import { normaliseIdentifier, type TraitsSchema } from './traits-schema.ts'
import { wholeSession } from './whoami.ts'
import { alreadySignedIn, firstFactorRequired } from './wire-error.ts'

export function submitLogin(context: IdentityContext, c: RequestContext): Promise<Response> {
  return submitFlow(context, c, {
    kind: 'login',
    restart: old => restarted(context, old),
    complete: flow => complete(context, c, flow),
  })
}

async function complete(context: IdentityContext, c: RequestContext, flow: LoginFlow): Promise<Response> {
  const current = await findRequestSession(context, c)
  if (current !== undefined && !flow.refresh && flow.requested_aal === 'aal1') {
    if (flow.type === 'browser' && !isScript(c)) return answerRedirect(c, context.addresses.defaultReturnUrl)
    throw returned(context.schema, flow, {
      messages: [generalFault(alreadySignedIn('login').body.reason ?? '')],
    })
  }
  if (current === undefined && flow.requested_aal === 'aal2') throw firstFactorRequired()
  requireOpen(flow)
  const identity = await authenticate(context, c, flow)
  const signedIn = await signIn(context, context.db, c, identity, current)
  await saveFlow(context, 'login', { ...flow, active: 'password' })
  return answerSignedIn(context, c, flow, signedIn, current)
}

/** The identity of the form; throws `FlowFault` with the form unless everything in it is right. */
async function authenticate(context: IdentityContext, c: RequestContext, flow: LoginFlow): Promise<Identity> {
  const back = (message: Message, identifier = '') =>
    returned(context.schema, flow, { identifier, messages: [message] })
  const form = await readFlowForm(c, back)
  if (flow.requested_aal === 'aal2' || formText(form, 'method') !== 'password') throw back(NO_LOGIN_METHOD)
  const identifier = formText(form, 'identifier') || formText(form, 'password_identifier')
  const password = formText(form, 'password')
  const missing = {
    ...(identifier === '' ? { identifier: [missingFault('identifier')] } : {}),
    ...(password === '' ? { password: [missingFault('password')] } : {}),
  }
  if (Object.keys(missing).length > 0) throw returned(context.schema, flow, { identifier, fields: missing })
  refuseForeignForm(context, c, flow, form, message => back(message, identifier))
  const identity = await findByPasswordIdentifier(context.db, normaliseIdentifier(identifier))
  const isRight = await isPassword(password, passwordHash(identity))
  if (identity !== undefined && isRight) return identity
  throw back(INVALID_CREDENTIALS, identifier)
}

interface Faults {
  /** What was typed; what stood there before when nothing was. */
  readonly identifier?: string
  readonly messages?: readonly Message[]
  readonly fields?: Readonly<Record<string, readonly Message[]>>
}

function returned(
  schema: TraitsSchema,
  flow: LoginFlow,
  { identifier, messages, fields }: Faults,
): FlowFault {
  const before = formOf(flow)
  const form = {
    ...before,
    identifier: identifier || before.identifier,
    ...(fields === undefined ? {} : { messages: fields }),
  }
  const nodes = flow.requested_aal === 'aal2' ? flow.ui.nodes : loginFields(schema, form)
  return new FlowFault(withForm({ ...flow, updated_at: new Date().toISOString() }, nodes, messages))
}

function formOf(flow: LoginFlow) {
  return {
    csrfToken: fieldText(flow, 'csrf_token'),
    identifier: fieldText(flow, 'identifier'),
    isRefresh: flow.refresh,
  }
}

function restarted(context: IdentityContext, old: LoginFlow): LoginFlow {
  const nodes =
    old.requested_aal === 'aal2'
      ? secondFactorFields(old.type, fieldText(old, 'csrf_token'))
      : loginFields(context.schema, formOf(old))
  const flow = renewed(context, old, nodes)
  return { ...flow, created_at: flow.issued_at, updated_at: flow.issued_at }
}

function answerSignedIn(
  context: IdentityContext,
  c: RequestContext,
  flow: LoginFlow,
  signedIn: CurrentSession,
  before: CurrentSession | undefined,
): Response {
  const session = wholeSession(context, signedIn)
  if (flow.type === 'api')
    return answerJson(c, { session_token: signedIn.token, session, continue_with: null })
  const to = returnUrl(context, flow.return_to)
  issueSessionCookie(context, c, signedIn, before)
  if (!isScript(c)) return answerRedirect(c, to)
  return answerJson(c, {
    session,
    continue_with: [{ action: 'redirect_browser_to', redirect_browser_to: to }],
  })
}
