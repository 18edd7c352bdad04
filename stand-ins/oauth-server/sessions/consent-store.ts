// Given consents. A consent is written when the browser brings its verifier, once; every token that it leads to hangs
// on it and goes with it. Rows of skipped consents are kept too: they carry their tokens and tell whom a logout
// concerns.

import type { Database } from '../../service/database.ts'
import type { AnsweredConsent, ConsentAcceptance, ConsentStep } from '../flow/flow-state.ts'
import { accessDenied } from '../flow/oauth-errors.ts'

/** What tokens are made of. Times are seconds since 1970. */
export interface ConsentRecord {
  readonly consentRequestId: string
  readonly clientId: string
  readonly subject: string
  /** The subject as the client sees it. */
  readonly clientSubject: string
  readonly loginSessionId: string
  readonly nonce: string
  readonly requestedAt: number
  readonly authenticatedAt: number
  /** When the answer was made. */
  readonly issuedAt: number
  /** Empty when the login named none. */
  readonly acr: string
  /** Whether the request asked for one. */
  readonly isAcrAsked: boolean
  readonly amr: readonly string[]
  readonly grantedScope: readonly string[]
  readonly grantedAudience: readonly string[]
  readonly accessTokenClaims: Readonly<Record<string, unknown>>
  readonly idTokenClaims: Readonly<Record<string, unknown>>
}

/** A step without its client, which is looked up when it is shown: a copy in each row would go stale. */
export type StoredConsentStep = Omit<ConsentStep, 'request'> & {
  readonly request: Omit<ConsentStep['request'], 'client'>
}

/** A consent as the admin API lists it. */
export interface ListedConsent {
  readonly consentRequestId: string
  readonly clientId: string
  /** Empty once the session has ended. */
  readonly loginSessionId: string
  readonly step: StoredConsentStep
  readonly accepted: ConsentAcceptance
}

/** Which consents: one, those of a subject to one client, or all of a subject. */
export type ConsentSelection =
  | { readonly consentRequestId: string }
  | { readonly subject: string; readonly clientId?: string }

export interface ConsentStore {
  /** Writes a consent. Throws `access_denied` when it was written before. */
  create(
    answered: Extract<AnsweredConsent, { accepted: ConsentAcceptance }>,
    terms: { readonly nonce: string; readonly clientSubject: string },
  ): Promise<ConsentRecord>
  find(consentRequestId: string): Promise<ConsentRecord | undefined>
  /** The scopes of the newest remembered consent that still holds; skipped ones do not count. */
  rememberedScope(clientId: string, subject: string): Promise<readonly string[] | undefined>
  /** Consents of a subject that were not skipped and still hold, by id, after `afterId`. */
  list(
    subject: string,
    page: { readonly loginSessionId?: string; readonly afterId: string; readonly limit: number },
  ): Promise<ListedConsent[]>
  /** Forgets consents, and with them their codes and tokens. */
  revoke(selection: ConsentSelection): Promise<void>
  /** The clients that a login session gave consent to. */
  clientsOfSession(subject: string, loginSessionId: string): Promise<string[]>
}

const RECORD = `consent_request_id as "consentRequestId", client_id as "clientId", subject,
  client_subject as "clientSubject", step ->> 'sessionId' as "loginSessionId", nonce,
  extract(epoch from requested_at)::float8 as "requestedAt", extract(epoch from issued_at)::float8 as "issuedAt",
  (step -> 'login' ->> 'authenticatedAt')::float8 as "authenticatedAt",
  step -> 'login' ->> 'acr' as acr, step #> '{request,oidcContext,acr_values}' is not null as "isAcrAsked",
  step -> 'login' -> 'amr' as amr,
  accepted -> 'grantedScope' as "grantedScope", accepted -> 'grantedAudience' as "grantedAudience",
  accepted -> 'accessTokenClaims' as "accessTokenClaims", accepted -> 'idTokenClaims' as "idTokenClaims"`

const HOLDS = 'not skip and (expires_at is null or expires_at > now())'

export function makeConsentStore(database: Database): ConsentStore {
  return {
    async create({ step, accepted }, terms) {
      const { rows } = await database.query<ConsentRecord>(
        `insert into consents (consent_request_id, client_id, subject, client_subject, login_session_id, nonce, skip,
           remember, requested_at, issued_at, expires_at, step, accepted)
         values ($1, $2, $3, $4, (select id from login_sessions where id = $5), $6, $7,
           $8, to_timestamp($9), date_trunc('second', now()),
           case when $10::int > 0 then to_timestamp($9) + make_interval(secs => $10::int) end, $11, $12)
         on conflict (consent_request_id) do nothing
         returning ${RECORD}`,
        insertValues(step, accepted, terms),
      )
      const [record] = rows
      if (!record) throw accessDenied('The consent verifier has already been used.')
      return record
    },
    async find(consentRequestId) {
      const { rows } = await database.query<ConsentRecord>(
        `select ${RECORD} from consents where consent_request_id = $1`,
        [consentRequestId],
      )
      return rows[0]
    },
    async rememberedScope(clientId, subject) {
      const { rows } = await database.query<{ scope: string[] }>(
        `select accepted -> 'grantedScope' as scope from consents
          where client_id = $1 and subject = $2 and remember and ${HOLDS}
          order by requested_at desc, consent_request_id limit 1`,
        [clientId, subject],
      )
      return rows[0]?.scope
    },
    ...makeConsentAdministration(database),
  }
}

function makeConsentAdministration(
  database: Database,
): Pick<ConsentStore, 'list' | 'revoke' | 'clientsOfSession'> {
  return {
    async list(subject, { loginSessionId, afterId, limit }) {
      const { rows } = await database.query<ListedConsent>(
        `select consent_request_id as "consentRequestId", client_id as "clientId", step, accepted,
             coalesce(login_session_id, '') as "loginSessionId"
           from consents
          where subject = $1 and ($2::text is null or login_session_id = $2) and consent_request_id > $3 and ${HOLDS}
          order by consent_request_id limit $4`,
        [subject, loginSessionId ?? null, afterId, limit],
      )
      return rows
    },
    async revoke(selection) {
      if ('consentRequestId' in selection) {
        await database.query('delete from consents where consent_request_id = $1', [
          selection.consentRequestId,
        ])
        return
      }
      await database.query(
        'delete from consents where subject = $1 and ($2::text is null or client_id = $2)',
        [selection.subject, selection.clientId ?? null],
      )
    },
    async clientsOfSession(subject, loginSessionId) {
      const { rows } = await database.query<{ client_id: string }>(
        'select distinct client_id from consents where subject = $1 and login_session_id = $2',
        [subject, loginSessionId],
      )
      return rows.map(row => row.client_id)
    },
  }
}

function insertValues(
  step: ConsentStep,
  accepted: ConsentAcceptance,
  terms: { readonly nonce: string; readonly clientSubject: string },
): unknown[] {
  const { client, ...request } = step.request
  return [
    step.consentRequestId,
    client.client_id,
    step.login.subject,
    terms.clientSubject,
    step.sessionId,
    terms.nonce,
    step.skip,
    accepted.remember,
    step.request.requestedAt,
    accepted.rememberFor,
    JSON.stringify({ ...step, request } satisfies StoredConsentStep),
    JSON.stringify(accepted),
  ]
}
