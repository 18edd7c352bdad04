// Refusals under /realtime/v1 as realtime-js reads them: `error` or `message` is the sentence, and a message that
// cannot be read is 422. Ours go beside.

import * as z from 'zod'
import type { ErrorAnswer } from '../error-response.ts'
import type { RawAnswer } from '../route.ts'
import type { Wire } from './wire.ts'

const RealtimeError = z
  .object({
    error: z.string(),
    message: z.string().describe('the same'),
    code: z.string(),
    detail: z.string().nullable().describe('more about it'),
    hint: z.string().nullable().describe('what to do'),
    request_id: z.string(),
  })
  .meta({
    id: 'RealtimeError',
    examples: [
      {
        error: 'The API key is not valid.',
        message: 'The API key is not valid.',
        code: 'invalid_api_key',
        detail: null,
        hint: null,
        request_id: '8c1f4ab0-6f5c-4a0e-9f0b-3d1b7a5f2c9e',
      },
    ],
  })

/** The paths of Supabase's realtime. */
export const REALTIME_WIRE: Wire = {
  prefix: '/realtime/v1',
  documented: { name: 'RealtimeError', content: { 'application/json': RealtimeError } },
  refusal,
}

function refusal({ status, headers, body }: ErrorAnswer): RawAnswer {
  const { error, code, detail, hint, request_id } = body
  return {
    status: code === 'validation_failed' ? 422 : status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify({ error, message: error, code, detail, hint, request_id }),
  }
}
