// A receiver chooses how many parts its answer comes in: of single bytes each costs the isolate as much as a large
// part.

import { expect, it } from 'vitest'
import { sendAttempt } from '../../../src/features/webhooks/delivery/send-attempt.ts'
import { deadline } from '../../../src/lib/deadline.ts'

const PARTS_READ_MAX = 300

it('an answer of many tiny parts is read no further than its beginning, and its status counts', async () => {
  let parts = 0
  const drops = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        parts += 1
        controller.enqueue(new Uint8Array([97]))
      },
    },
    { highWaterMark: 0 },
  )
  const result = await sendAttempt(
    {
      fetch: async () => new Response(drops),
      guard: { check: async () => undefined },
      deadline,
      nowMs: () => 0,
    },
    {
      url: 'https://receiver.example/',
      customHeaders: {},
      keys: undefined,
      webhookId: 'msg_1',
      body: new Uint8Array(),
      extraHeaders: {},
    },
  )
  expect(result).toMatchObject({
    isSuccess: true,
    statusCode: 200,
    responseBody: expect.stringMatching(/^a+$/),
  })
  expect(parts).toBeLessThanOrEqual(PARTS_READ_MAX)
})
