// When the bundled pg_dump is given an answer.

import { expect, it } from 'vitest'
import { wholeAnswers } from '../../../cli/backup/bundled-dump.ts'

const message = (type: string, body: string) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(4 + body.length)
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)])
}

it('hands an answer on once Postgres is ready, whatever lies behind that in the same chunk', () => {
  const answers: string[] = []
  const take = wholeAnswers(bytes => answers.push(Buffer.from(bytes).toString()))
  const [rows, ready] = [message('D', 'rows'), message('Z', 'I')]
  const setting = message('S', 'TimeZone\0UTC\0')
  take(Buffer.concat([rows, ready.subarray(0, 3)]))
  expect(answers).toEqual([])
  take(Buffer.concat([ready.subarray(3), setting]))
  expect(answers).toEqual([Buffer.concat([rows, ready, setting]).toString()])
})
