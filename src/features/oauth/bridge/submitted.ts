// What a POST of the bridge carries: JSON from scripts, or the fields of one of our forms. Which of the two decides how
// it is answered and what it must prove.

import * as z from 'zod'
import { DomainError } from '../../../errors.ts'

/** A challenge as it comes in: of characters that an address can hold; the longest that servers make stay far below. */
export const Challenge = z
  .string()
  .min(1, { abort: true })
  .max(16_384, {
    abort: true,
    error:
      'must be at most 16384 characters: the OAuth2 server puts the client into it, whose record is too large',
  })
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
  .describe('As the OAuth2 server made it')

/** How many mistakes one answer lists. */
const PROBLEMS_MAX = 10

export type Submitted<Body> = { kind: 'json'; body: Body } | { kind: 'form'; fields: URLSearchParams }

/** What the bridge reads of a request. */
export interface Submission {
  contentType: string | null
  cookieHeader: string | null
  readBodyText: () => Promise<string>
}

/**
 * Throws `unsupported_media_type`, `invalid_body`, or `validation_failed` for JSON that is not of the schema's form.
 */
export async function readSubmitted<Schema extends z.ZodType>(
  schema: Schema,
  { contentType, readBodyText }: Pick<Submission, 'contentType' | 'readBodyText'>,
): Promise<Submitted<z.output<Schema>>> {
  const mediaType = (contentType ?? 'application/json').split(';', 1)[0]?.trim().toLowerCase()
  const text = await readBodyText()
  if (mediaType === 'application/x-www-form-urlencoded')
    return { kind: 'form', fields: new URLSearchParams(text) }
  if (mediaType === 'application/json') return { kind: 'json', body: parseBody(schema, text) }
  throw new DomainError('unsupported_media_type', 'The route takes JSON or the fields of its form.', {
    hint: 'Send Content-Type: application/json.',
  })
}

/** A field of a form; throws `validation_failed` when it is missing or longer than any of ours. */
export function formField(fields: URLSearchParams, name: string): string {
  const parsed = Challenge.safeParse(fields.get(name) ?? undefined)
  if (parsed.success) return parsed.data
  throw new DomainError('validation_failed', `The form has no field "${name}".`, {
    hint: 'Load the page again and send its form.',
  })
}

function parseBody<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> {
  const parsed = schema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues
    .slice(0, PROBLEMS_MAX)
    .map(({ path, message }) => `${['body', ...path].join('.')}: ${message}`)
  throw new DomainError('validation_failed', problems[0] ?? 'body: not valid', {
    detail: problems.length > 1 ? problems.join('; ') : undefined,
    hint: 'The endpoint and its fields are described at /docs.',
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // What the parser says quotes the text, in which there is a challenge.
    throw new DomainError('invalid_body', 'The body is not valid JSON.', {
      hint: 'Check quotes, commas and brackets.',
    })
  }
}
