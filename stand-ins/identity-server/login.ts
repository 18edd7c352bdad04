// Signing in: how a login flow starts and is read, by a browser and by an app. Its submission is login-submit.ts.

import { queryOf, type Route } from '../service/route-table.ts'
import { answerJson } from '../service/wire-answers.ts'
import { badRequest } from '../service/wire-error.ts'
import { prefersJson } from './accept.ts'
import { answerRedirect } from './answers.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import type { LoginFlow } from './flow.ts'
import { returnUrl, startFlow } from './flow-start.ts'
import { readFlow, saveFlow } from './flow-store.ts'
import { pageOf } from './flow-submit.ts'
import { CONFIRM_MESSAGE, loginFields, SECOND_FACTOR_MESSAGE, secondFactorFields } from './login-form.ts'
import { submitLogin } from './login-submit.ts'
import { findRequestSession } from './request-session.ts'
import { forwardError } from './self-service-errors.ts'
import { alreadySignedIn, firstFactorRequired } from './wire-error.ts'

export function loginRoutes(context: IdentityContext): Route[] {
  const path = '/self-service/login'
  return [
    { method: 'GET', path: `${path}/browser`, handle: c => startInBrowser(context, c) },
    { method: 'GET', path: `${path}/api`, handle: c => startInApp(context, c) },
    { method: 'GET', path: `${path}/flows`, handle: c => read(context, c) },
    { method: 'POST', path, handle: c => submitLogin(context, c) },
    {
      method: 'GET',
      path,
      handle: c => answerRedirect(c, `${context.addresses.uiUrl}/login${new URL(c.req.url).search}`),
    },
  ]
}

async function read(context: IdentityContext, c: RequestContext): Promise<Response> {
  return answerJson(c, await readFlow(context, 'login', c, queryOf(c).get('id') ?? ''))
}

async function startInApp(context: IdentityContext, c: RequestContext): Promise<Response> {
  const flow = await newLoginFlow(context, c, 'api')
  if (flow === undefined) throw alreadySignedIn('login')
  return answerJson(c, flow)
}

async function startInBrowser(context: IdentityContext, c: RequestContext): Promise<Response> {
  try {
    const flow = await newLoginFlow(context, c, 'browser')
    const isForScript = prefersJson(c)
    if (flow !== undefined)
      return isForScript ? answerJson(c, flow) : answerRedirect(c, pageOf(context, 'login', flow))
    if (isForScript) throw alreadySignedIn('login')
    return answerRedirect(c, returnUrl(context, queryOf(c).get('return_to') ?? ''))
  } catch (err) {
    return forwardError(context, c, err)
  }
}

/** A new flow, saved; undefined for somebody who is signed in and need not sign in again. */
async function newLoginFlow(
  context: IdentityContext,
  c: RequestContext,
  type: LoginFlow['type'],
): Promise<LoginFlow | undefined> {
  const start = startFlow(context, c, 'login', type)
  const query = queryOf(c)
  const aal = readAal(query.get('aal') ?? '')
  const current = await findRequestSession(context, c)
  if (current === undefined && aal === 'aal2') throw firstFactorRequired()
  const isRefresh = current !== undefined && query.get('refresh') === 'true'
  if (current !== undefined && !isRefresh && aal === 'aal1') return undefined
  const identifier = isRefresh ? (current.identity.credentials[0]?.identifiers[0] ?? '') : ''
  const { csrfToken } = start
  const nodes =
    aal === 'aal2'
      ? secondFactorFields(type, csrfToken)
      : loginFields(context.schema, { csrfToken, identifier, isRefresh })
  const messages = [
    ...(isRefresh ? [CONFIRM_MESSAGE] : []),
    ...(aal === 'aal2' ? [SECOND_FACTOR_MESSAGE] : []),
  ]
  const flow: LoginFlow = {
    ...start.base,
    ui: { action: start.action, method: 'POST', nodes, ...(messages.length === 0 ? {} : { messages }) },
    created_at: start.now,
    updated_at: start.now,
    refresh: isRefresh,
    requested_aal: aal,
  }
  await saveFlow(context, 'login', flow)
  return flow
}

function readAal(aal: string): LoginFlow['requested_aal'] {
  if (aal === '' || aal === 'aal1') return 'aal1'
  if (aal === 'aal2') return 'aal2'
  throw badRequest(
    `Unable to parse AuthenticationMethod Assurance Level (AAL): expected one of [aal1, aal2] but got ${aal}`,
  )
}
