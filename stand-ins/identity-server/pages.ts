// The provider's own pages under `/ui`: sign in, sign up, who is signed in, what went wrong. The flows behind them are
// those that any other page would use.

import { html } from 'hono/html'
import { queryOf, type Route } from '../service/route-table.ts'
import { WireError } from '../service/wire-error.ts'
import { isScript } from './accept.ts'
import { answerRedirect } from './answers.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import type { Flow, FlowKind } from './flow.ts'
import { flowForm } from './flow-page.ts'
import { readFlow } from './flow-store.ts'
import { answerPage, type Html } from './page-layout.ts'
import { type CurrentSession, findRequestSession } from './request-session.ts'
import { findKeptError } from './self-service-errors.ts'
import { logoutToken } from './session-secrets.ts'
import { noActiveSession } from './wire-error.ts'

const TITLES = { login: 'Sign in', registration: 'Create an account' } as const

export function pageRoutes(context: IdentityContext): Route[] {
  return [
    { method: 'GET', path: '/ui/login', handle: c => flowPage(context, c, 'login') },
    { method: 'GET', path: '/ui/registration', handle: c => flowPage(context, c, 'registration') },
    { method: 'GET', path: '/ui/settings', handle: c => personPage(context, c, 'Your account') },
    { method: 'GET', path: '/ui/welcome', handle: c => personPage(context, c, 'Welcome') },
    { method: 'GET', path: '/ui/error', handle: c => errorPage(context, c) },
    { method: 'GET', path: '/self-service/settings/browser', handle: c => settings(context, c) },
  ]
}

/** The form of a flow. Without a flow, or with one that is gone, another is begun. */
async function flowPage(context: IdentityContext, c: RequestContext, kind: FlowKind): Promise<Response> {
  const query = queryOf(c)
  const id = query.get('flow') ?? ''
  if (id === '') return answerRedirect(c, `${startOf(context, kind)}${new URL(c.req.url).search}`)
  try {
    const flow = await readFlow(context, kind, c, id)
    const isConfirmation = 'refresh' in flow && flow.refresh
    return await answerPage(
      c,
      isConfirmation ? 'Confirm it is you' : TITLES[kind],
      formPage(context, kind, flow),
    )
  } catch (err) {
    if (!(err instanceof WireError)) throw err
    // Going round again would never end for a browser that keeps no cookies.
    if (err.body.code === 403) return answerPage(c, TITLES[kind], strangerText(context, kind), 403)
    const to = err.body.details?.['redirect_to']
    return answerRedirect(c, typeof to === 'string' ? to : startOf(context, kind))
  }
}

function startOf({ addresses }: Pick<IdentityContext, 'addresses'>, kind: FlowKind): string {
  return `${addresses.publicUrl}/self-service/${kind}/browser`
}

function formPage(context: IdentityContext, kind: FlowKind, flow: Flow): Html {
  const other = kind === 'login' ? 'registration' : 'login'
  const application = applicationOf(flow)
  const query = new URLSearchParams({
    ...(flow.return_to && { return_to: flow.return_to }),
    ...(application && { [APPLICATION]: application }),
  })
  const isConfirmation = 'refresh' in flow && flow.refresh
  const question = kind === 'login' ? 'No account yet?' : 'Have an account?'
  return html`${application === '' ? '' : html`<p>To continue to <strong>${application}</strong></p>`}
${who(flow)}${flowForm(flow)}
${isConfirmation ? '' : html`<p>${question} <a href="${startOf(context, other)}?${query}">${TITLES[other]}</a></p>`}`
}

/** The application on whose behalf the bridge has sent the browser. Anybody can write such an address: it is text. */
const APPLICATION = 'client_name'
const APPLICATION_LENGTH_MAX = 100

function applicationOf({ request_url }: Flow): string {
  return (new URL(request_url).searchParams.get(APPLICATION) ?? '').slice(0, APPLICATION_LENGTH_MAX)
}

/** Who is asked to confirm, or whose password is being chosen: the field itself is hidden then. */
function who(flow: Flow): Html {
  const hidden = flow.ui.nodes.find(
    ({ attributes }) =>
      attributes.type === 'hidden' && ['identifier', 'traits.email'].includes(attributes.name),
  )?.attributes.value
  return typeof hidden === 'string' && hidden !== '' ? html`<p class="faint">${hidden}</p>` : html``
}

function strangerText(context: IdentityContext, kind: FlowKind): Html {
  return html`<p class="error">This form was opened in another browser, before somebody signed in or out, or your
browser keeps no cookies of this site.</p>
<p><a href="${startOf(context, kind)}">Start again</a></p>`
}

async function personPage(context: IdentityContext, c: RequestContext, title: string): Promise<Response> {
  const current = await findRequestSession(context, c)
  if (current !== undefined) return answerPage(c, title, personText(context, current))
  const start = startOf(context, 'login')
  return answerPage(c, title, html`<p>Nobody is signed in.</p><p><a href="${start}">Sign in</a></p>`)
}

function personText({ addresses, secret }: IdentityContext, { session, identity }: CurrentSession): Html {
  const query = new URLSearchParams({ token: logoutToken(secret, session.id) })
  const identifiers = identity.credentials.flatMap(credential => credential.identifiers)
  return html`<dl>
<dt>Signed in as</dt><dd>${identifiers.join(', ')}</dd>
<dt>Until</dt><dd>${session.expires_at.toISOString().slice(0, 16).replace('T', ' ')} UTC</dd>
</dl>
<p><a href="${addresses.publicUrl}/self-service/logout?${query}">Sign out</a></p>`
}

async function errorPage(context: IdentityContext, c: RequestContext): Promise<Response> {
  const kept = await findKeptError(context, queryOf(c).get('id') ?? '')
  const start = startOf(context, 'login')
  const again = html`<p><a href="${start}">To the sign-in</a></p>`
  if (kept === undefined)
    return answerPage(c, 'Nothing here', html`<p>There is no such error any more.</p>${again}`, 404)
  const { code, message, reason = '', id = '' } = kept.error
  return answerPage(
    c,
    'This did not work',
    html`<p class="error">${reason || message}</p><p class="faint">${code}${id === '' ? '' : ` · ${id}`}</p>${again}`,
    400,
  )
}

/** There is nothing to change here; what there is to see is a page. A stranger signs in first and comes back. */
async function settings(context: IdentityContext, c: RequestContext): Promise<Response> {
  if ((await findRequestSession(context, c)) !== undefined)
    return answerRedirect(c, `${context.addresses.uiUrl}/settings`)
  if (isScript(c)) throw noActiveSession()
  const back = new URLSearchParams({
    return_to: `${context.addresses.publicUrl}/self-service/settings/browser`,
  })
  return answerRedirect(c, `${startOf(context, 'login')}?${back}`)
}
