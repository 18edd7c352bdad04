// The claims configuration as callers see it and send it (Spec, Claims configuration). What a template may say is
// checked in `check-claims.ts`, because its mistakes have codes of their own.

import * as z from 'zod'
import { DomainError } from '../../../errors.ts'

/** More claims than this make tokens that no header carries. */
const CLAIMS_MAX = 50
const CLAIM_NAME_LENGTH_MAX = 200
const TEMPLATE_LENGTH_MAX = 1_000

/**
 * JSON may name a claim `__proto__`. Copied into an object, it would be lost without a word, so it is refused before.
 */
function refusePrototype(claims: unknown): unknown {
  if (typeof claims !== 'object' || claims === null || !Object.hasOwn(claims, '__proto__')) return claims
  throw new DomainError('reserved_claim', 'No claim can have the name __proto__.', {
    detail: '__proto__',
    hint: 'Choose another name.',
  })
}

const ClaimMap = z
  .record(
    z
      .string()
      .min(1)
      .max(CLAIM_NAME_LENGTH_MAX)
      .regex(/^\P{Cc}*$/u, 'must hold no control characters'),
    z.string().max(TEMPLATE_LENGTH_MAX),
  )
  .refine(claims => Object.keys(claims).length <= CLAIMS_MAX, `must hold at most ${CLAIMS_MAX} claims`)

const ClaimTemplates = z
  .preprocess(refusePrototype, ClaimMap)
  .describe(
    'Claim name to template; a template holds {{traits.*}}, {{metadata_public.*}} or {{id}}. People write their own ' +
      'traits: what somebody may do belongs into metadata_public. A key with a dot, a bracket or a space in it is ' +
      'written in quotes: {{traits["employee.id"]}}; one with a brace cannot be reached',
  )
export type ClaimTemplates = z.infer<typeof ClaimTemplates>

export const CLAIMS_CONFIG_EXAMPLE = {
  id_token_claims: { groups: '{{metadata_public.groups}}', plan: '{{metadata_public.plan}}' },
  access_token_claims: { contact: '{{traits.name.first}} <{{traits.email}}>' },
}

/** Which claims go into tokens beside the standard ones. */
export const ClaimsConfig = z
  .strictObject({
    id_token_claims: ClaimTemplates,
    access_token_claims: ClaimTemplates,
  })
  .meta({
    id: 'ClaimsConfig',
    examples: [CLAIMS_CONFIG_EXAMPLE],
  })
export type ClaimsConfig = z.infer<typeof ClaimsConfig>

/** A change of the configuration: a map that is left out stays as it is, one that is there replaces the stored one. */
export const ClaimsConfigPatch = ClaimsConfig.partial().meta({ id: 'ClaimsConfigPatch' })
export type ClaimsConfigPatch = z.infer<typeof ClaimsConfigPatch>
