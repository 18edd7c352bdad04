// Stops: an answer from counting longer than it may, and one that was under way from outliving what made it wrong.

import { beforeEach, expect, it, vi } from 'vitest'
import { type Answer, FreshAnswers, NOT_KEPT } from '../../../src/lib/fresh-answers.ts'

const START_MS = 1_000_000
let nowMs: number
let answers: FreshAnswers<string>
const ask = vi.fn(async (): Promise<Answer<string>> => ({ value: 'yes' }))

beforeEach(() => {
  nowMs = START_MS
  answers = new FreshAnswers({ freshMs: 100, sizeMax: 2, now: () => new Date(nowMs) })
  vi.clearAllMocks()
})

it('asks once as long as the answer is fresh, and again from then on', async () => {
  expect(await answers.get('q', ask)).toBe('yes')
  nowMs += 99
  expect(await answers.get('q', ask)).toBe('yes')
  expect(ask).toHaveBeenCalledTimes(1)
  nowMs += 1
  await answers.get('q', ask)
  expect(ask).toHaveBeenCalledTimes(2)
})

it('keeps no answer beyond its own end, and none that has ended', async () => {
  ask.mockResolvedValueOnce({ value: 'yes', endsMs: START_MS + 10 })
  await answers.get('q', ask)
  nowMs += 10
  ask.mockResolvedValueOnce({ value: 'no', endsMs: NOT_KEPT })
  expect(await answers.get('q', ask)).toBe('no')
  expect(await answers.get('q', ask)).toBe('yes')
  expect(ask).toHaveBeenCalledTimes(3)
})

it('keeps no error', async () => {
  ask.mockRejectedValueOnce(new Error('down'))
  await expect(answers.get('q', ask)).rejects.toThrow('down')
  expect(await answers.get('q', ask)).toBe('yes')
})

it('tells questions apart, and keeps a bounded number of answers', async () => {
  for (const question of ['a', 'b', 'c', 'b', 'c', 'a']) await answers.get(question, ask)
  expect(ask).toHaveBeenCalledTimes(4)
})

it('asks everything again once it was told to forget', async () => {
  await answers.get('q', ask)
  answers.forget()
  await answers.get('q', ask)
  expect(ask).toHaveBeenCalledTimes(2)
})

// A token is revoked while somebody asks about it: the answer of before must not count for the next ten seconds.
it('does not keep an answer that was asked for before it was told to forget', async () => {
  let tell = (_: Answer<string>) => {}
  ask.mockReturnValueOnce(new Promise(resolve => (tell = resolve)))
  const early = answers.get('q', ask)
  answers.forget()
  tell({ value: 'of before' })
  expect(await early).toBe('of before')
  expect(await answers.get('q', ask)).toBe('yes')
})
