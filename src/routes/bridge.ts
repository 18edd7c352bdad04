// The bridge: between the OAuth2 server, which asks who signs in and what is allowed, and the identity
// provider, which knows. People come here with their browsers; errors are pages for them and JSON for scripts.

import * as z from 'zod'
import {
  acceptConsentAnswer,
  rejectConsentAnswer,
  switchAccount,
} from '../features/oauth/bridge/answer-consent.ts'
import { Onward } from '../features/oauth/bridge/answers.ts'
import { BridgeStatus, readBridgeStatus } from '../features/oauth/bridge/bridge-status.ts'
import { readConsentInfo } from '../features/oauth/bridge/consent-info.ts'
import { ConsentInfo, ConsentNo, ConsentYes } from '../features/oauth/bridge/consent-schemas.ts'
import { answerDevice, showDevice, showDeviceSuccess, UserCode } from '../features/oauth/bridge/device.ts'
import { bridgeErrorPage, showServerError } from '../features/oauth/bridge/error-pages.ts'
import { continueLogin } from '../features/oauth/bridge/login.ts'
import {
  acceptLogoutAnswer,
  LogoutNo,
  LogoutYes,
  rejectLogoutAnswer,
  showLogout,
  showLogoutDone,
} from '../features/oauth/bridge/logout.ts'
import { showConsent } from '../features/oauth/bridge/show-consent.ts'
import { Challenge, type Submission } from '../features/oauth/bridge/submitted.ts'
import { defineRoute } from '../http/route.ts'

// The OAuth2 server adds parameters of its own to what it sends browsers with, so these are not strict.
const LoginQuery = z.object({ login_challenge: Challenge })
const ConsentQuery = z.object({ consent_challenge: Challenge })
const DeviceQuery = z.object({
  device_challenge: Challenge,
  user_code: z.string().max(200).optional().describe('Filled in; the person still has to say yes'),
})
const LogoutQuery = z.object({ logout_challenge: Challenge })
const ErrorQuery = z.object({
  error: z.string().optional().describe('Code of the error'),
  error_description: z.string().optional().describe('What was wrong'),
})

/** What all of these have in common. The largest decision holds a challenge of 16 KiB and a list of scopes. */
const FOR_BROWSERS = { errorPage: bridgeErrorPage, bodyBytesMax: 128 * 1024 } as const
const HTML = { 'text/html': z.string() }
const PAGE = { description: 'A page', content: HTML }
const pageAt = (status: number) => ({ answers: { [status]: PAGE } })
const pageOrRedirect = { answers: { 200: PAGE, 303: { description: 'Back to the OAuth2 server' } } }
const FORM_TYPE = 'application/x-www-form-urlencoded'
/** Which fields a form has is between our pages and us. */
const FormFields = z.record(z.string(), z.string())

/** JSON of this shape, or the fields of our own form; both are told where to go on. */
const decision = (requestSchema: z.ZodType) => ({
  request: { 'application/json': requestSchema, [FORM_TYPE]: FormFields },
  answers: {
    200: {
      description: 'JSON for JSON; for the form a page that continues automatically',
      content: { 'application/json': Onward, ...HTML },
    },
  },
})

const cookiesOf = (request: Request) => request.headers.get('cookie')

function submissionOf(input: { request: Request; readBodyBytes: () => Promise<Uint8Array> }): Submission {
  const { headers } = input.request
  return {
    contentType: headers.get('content-type'),
    cookieHeader: headers.get('cookie'),
    readBodyText: async () => new TextDecoder().decode(await input.readBodyBytes()),
  }
}

export const bridgeRoutes = [
  defineRoute({
    ...FOR_BROWSERS,
    id: 'bridge.status',
    method: 'get',
    mounts: { '/api/oauthsrv/bridge/status': 'visitor' },
    summary: 'Say whether the login and consent bridge is configured',
    response: BridgeStatus,
    handle: async ({ deps }) => readBridgeStatus(deps),
  }),
  defineRoute({
    ...FOR_BROWSERS,
    id: 'bridge.login',
    method: 'get',
    mounts: { '/api/oauthsrv/bridge/login': 'visitor' },
    summary: 'Sign in for the OAuth2 server with the session at the identity provider',
    description:
      "The OAuth2 server's login URL. Redirects back to it, or to the identity provider's sign-in page and " +
      'here again; its page finds the name of the application in `client_name`. ' +
      'When the OAuth2 server remembers somebody else, that session is ended and the flow starts again. ' +
      '`prompt=login`, `prompt=none` and `max_age` of the application are honoured.',
    query: LoginQuery,
    documented: {
      answers: { 303: { description: 'To the OAuth2 server, or to the sign-in page and from there back' } },
    },
    handle: ({ deps, query, request }) => continueLogin(deps, query.login_challenge, cookiesOf(request)),
  }),
  defineRoute({
    ...FOR_BROWSERS,
    id: 'bridge.consent',
    method: 'get',
    mounts: { '/api/oauthsrv/bridge/consent': 'visitor' },
    summary: 'Ask whether an application may do what it asks for',
    description:
      "The OAuth2 server's consent URL. A page, or a redirect where the consent is remembered or the " +
      "client's metadata " +
      'has `skip_consent`.',
    query: ConsentQuery,
    documented: pageOrRedirect,
    handle: ({ deps, query, request }) => showConsent(deps, query.consent_challenge, cookiesOf(request)),
  }),
  defineRoute({
    ...FOR_BROWSERS,
    id: 'bridge.consent_info',
    method: 'get',
    mounts: { '/api/oauthsrv/bridge/consent/info': 'visitor' },
    summary: 'Read what a consent screen of your own has to show',
    query: ConsentQuery,
    response: ConsentInfo,
    handle: ({ deps, query }) => readConsentInfo(deps, query.consent_challenge),
  }),
  defineRoute({
    ...FOR_BROWSERS,
    id: 'bridge.accept_consent',
    method: 'post',
    mounts: { '/api/oauthsrv/bridge/consent/accept': 'visitor' },
    countedAs: 'consent',
    summary: 'Grant what an application asks for, or a part of it',
    description:
      'JSON is answered with `{redirect_to}`, where the same browser has to continue. A session cookie that is ' +
      'sent must be ' +
      "the subject's and still alive; a server sends none. The form of the consent screen needs that session.",
    example: { challenge: '8f5e2c...', grant_scope: ['openid', 'email'], remember: true },
    documented: decision(ConsentYes),
    unaudited: 'sign_in',
    handle: input => acceptConsentAnswer(input.deps, submissionOf(input)),
  }),
  defineRoute({
    ...FOR_BROWSERS,
    id: 'bridge.reject_consent',
    method: 'post',
    mounts: { '/api/oauthsrv/bridge/consent/reject': 'visitor' },
    countedAs: 'consent',
    summary: 'Deny what an application asks for',
    description:
      'The application gets `error` and `error_description`. Answers as accept does. A device is told nothing: ' +
      'its form ends on a page that says so.',
    example: { challenge: '8f5e2c...', error: 'access_denied', error_description: 'The user said no.' },
    documented: decision(ConsentNo),
    unaudited: 'sign_in',
    handle: input => rejectConsentAnswer(input.deps, submissionOf(input)),
  }),
  defineRoute({
    ...FOR_BROWSERS,
    id: 'bridge.switch_account',
    method: 'post',
    mounts: { '/api/oauthsrv/bridge/consent/switch': 'visitor' },
    countedAs: 'consent',
    summary: 'Sign out and start the flow again as somebody else',
    description:
      "The consent screen's own form; ends the sessions at the identity provider and at the OAuth2 server.",
    documented: { request: { [FORM_TYPE]: FormFields }, ...pageAt(200) },
    unaudited: 'sign_in',
    handle: input => switchAccount(input.deps, submissionOf(input)),
  }),
  defineRoute({
    ...FOR_BROWSERS,
    id: 'bridge.device',
    method: 'get',
    mounts: { '/api/oauthsrv/bridge/device': 'visitor' },
    summary: 'Ask for the code that a device shows',
    description: "The OAuth2 server's device verification URL. Never continues automatically.",
    query: DeviceQuery,
    documented: pageAt(200),
    handle: ({ deps, query, request }) => showDevice(deps, query, cookiesOf(request)),
  }),
  defineRoute({
    ...FOR_BROWSERS,
    id: 'bridge.answer_device',
    method: 'post',
    mounts: { '/api/oauthsrv/bridge/device': 'visitor' },
    countedAs: 'consent',
    summary: 'Connect the device that shows a code',
    description:
      'Sign-in and consent follow; the device gets its tokens after them. Answers as consent does.',
    example: { challenge: '8f5e2c...', user_code: 'PXMmKdJ7' },
    documented: decision(UserCode),
    unaudited: 'sign_in',
    handle: input => answerDevice(input.deps, submissionOf(input)),
  }),
  defineRoute({
    ...FOR_BROWSERS,
    id: 'bridge.device_success',
    method: 'get',
    mounts: { '/api/oauthsrv/bridge/device/success': 'visitor' },
    summary: 'Say that a device is connected',
    documented: pageAt(200),
    handle: ({ deps }) => showDeviceSuccess(deps),
  }),
  defineRoute({
    ...FOR_BROWSERS,
    id: 'bridge.logout',
    method: 'get',
    mounts: { '/api/oauthsrv/bridge/logout': 'visitor' },
    summary: 'Ask whether to sign out',
    description:
      "The OAuth2 server's logout URL. A page, or a redirect for a client with `skip_logout_consent` that " +
      'sent an ID token.',
    query: LogoutQuery,
    documented: pageOrRedirect,
    handle: ({ deps, query, request }) => showLogout(deps, query.logout_challenge, cookiesOf(request)),
  }),
  defineRoute({
    ...FOR_BROWSERS,
    id: 'bridge.accept_logout',
    method: 'post',
    mounts: { '/api/oauthsrv/bridge/logout/accept': 'visitor' },
    countedAs: 'consent',
    summary: 'Sign out, and on request of the identity provider too',
    description:
      'The OAuth2 server signs out when the browser goes on at `redirect_to`. A session cookie that is sent ' +
      'must be the ' +
      "subject's.",
    example: { challenge: '8f5e2c...', end_identity_session: true },
    documented: decision(LogoutYes),
    unaudited: 'sign_in',
    handle: input => acceptLogoutAnswer(input.deps, submissionOf(input)),
  }),
  defineRoute({
    ...FOR_BROWSERS,
    id: 'bridge.reject_logout',
    method: 'post',
    mounts: { '/api/oauthsrv/bridge/logout/reject': 'visitor' },
    countedAs: 'consent',
    summary: 'Stay signed in',
    example: { challenge: '8f5e2c...' },
    documented: {
      ...decision(LogoutNo),
      answers: {
        204: { description: 'Done, for JSON' },
        200: { ...PAGE, description: 'A page, for the form' },
      },
    },
    unaudited: 'sign_in',
    handle: input => rejectLogoutAnswer(input.deps, submissionOf(input)),
  }),
  defineRoute({
    ...FOR_BROWSERS,
    id: 'bridge.logout_done',
    method: 'get',
    mounts: { '/api/oauthsrv/bridge/logout/done': 'visitor' },
    summary: 'Say that somebody is signed out',
    description: "To be the OAuth2 server's post-logout URL, for logouts without an address of their own.",
    documented: pageAt(200),
    handle: ({ deps }) => showLogoutDone(deps),
  }),
  defineRoute({
    ...FOR_BROWSERS,
    id: 'bridge.error',
    method: 'get',
    mounts: { '/api/oauthsrv/bridge/error': 'visitor' },
    summary: 'Say why the OAuth2 server refused a request',
    description:
      "The OAuth2 server's error URL. Shows `error` and `error_description` as text. Where they tell of a sign-out " +
      "that was refused, as with an ID token from before a rotation, it links to the server's logout without one.",
    query: ErrorQuery,
    documented: pageAt(400),
    handle: ({ deps, query }) => showServerError(deps, query),
  }),
]
