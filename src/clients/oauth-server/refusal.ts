// How the OAuth2 server says no: `{error, error_description}`, where `error` is an OAuth code or an English sentence
// (contracts of the Hydra wire). Classify by status first, by `error` only where it is a documented code.

import * as z from 'zod'
import type { UpstreamAnswer } from '../http.ts'

const Refusal = z.looseObject({ error: z.string(), error_description: z.string().default('') })
export type Refusal = z.infer<typeof Refusal>

/** The refusal in an answer; undefined for a body of another form, such as a gateway's page. */
export function refusalOf(answer: UpstreamAnswer): Refusal | undefined {
  const parsed = Refusal.safeParse(answer.json)
  return parsed.success ? parsed.data : undefined
}
