import { expect, it } from 'vitest'
import { dueCrons, readCrons } from '../../../local/crons.ts'

const at = (time: string) => new Date(`2026-01-31T${time}Z`)

it('fires what wrangler.toml names: the hourly one in its minute, the other in each', () => {
  const crons = readCrons('[triggers]\ncrons = ["17 * * * *", "* * * * *"]\n')
  expect(dueCrons(crons, at('05:17:00'))).toEqual(['17 * * * *', '* * * * *'])
  expect(dueCrons(crons, at('05:17:59.999'))).toEqual(['17 * * * *', '* * * * *'])
  expect(dueCrons(crons, at('05:18:00'))).toEqual(['* * * * *'])
})

it.each(['', 'crons = ["0 5 * * *"]', 'crons = ["*/5 * * * *"]'])('says that it cannot read %j', text => {
  expect(() => readCrons(text)).toThrow(/wrangler\.toml/)
})
