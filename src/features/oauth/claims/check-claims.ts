// What a claims configuration may say: names that are free, and templates that can be read. Pure.

import { DomainError } from '../../../errors.ts'
import type { ClaimsConfigPatch } from './schemas.ts'
import { parseTemplate, TemplateError } from './template.ts'

/**
 * Claims that the OAuth2 server sets itself: a value of ours would be dropped or break verification.
 * The last line says what an access token is good for; an ID token must never look like one.
 */
const RESERVED_EVERYWHERE = [
  'iss',
  'sub',
  'aud',
  'exp',
  'iat',
  'nbf',
  'jti',
  'nonce',
  'auth_time',
  'acr',
  'amr',
  'azp',
  'sid',
  'at_hash',
  'c_hash',
  's_hash',
  'rat',
  ...['client_id', 'scope', 'scp', 'ext', 'token_use'],
]
/** The bridge's own mark, by which a token is revoked. */
const RESERVED_IN_ACCESS_TOKENS = ['consent_request_id']

const RESERVED = {
  id_token_claims: new Set(RESERVED_EVERYWHERE),
  access_token_claims: new Set([...RESERVED_EVERYWHERE, ...RESERVED_IN_ACCESS_TOKENS]),
}

/** Throws `reserved_claim` or `invalid_claim_template` for the first claim that is wrong, naming it. */
export function checkClaims(config: ClaimsConfigPatch): void {
  for (const field of ['id_token_claims', 'access_token_claims'] as const) {
    for (const [claim, template] of Object.entries(config[field] ?? {})) {
      refuseReserved(field, claim)
      refuseUnreadable(`${field}.${claim}`, template)
    }
  }
}

function refuseReserved(field: keyof typeof RESERVED, claim: string): void {
  if (!RESERVED[field].has(claim)) return
  throw new DomainError(
    'reserved_claim',
    `body.${field}.${claim}: the OAuth2 server sets this claim itself.`,
    {
      detail: claim,
      hint: `Choose another name. Reserved here: ${[...RESERVED[field]].join(', ')}.`,
    },
  )
}

function refuseUnreadable(place: string, template: string): void {
  try {
    parseTemplate(template)
  } catch (err) {
    if (!(err instanceof TemplateError)) throw err
    throw new DomainError('invalid_claim_template', `body.${place}: the template ${err.message}.`, {
      detail: place,
      hint:
        'Write for example {{traits.email}}, {{metadata_public.team}}, user {{id}}; a key with a dot in it is ' +
        'written {{traits["employee.id"]}}.',
    })
  }
}
