// What the browser keeps for the bridge: signed marks of its flows, and the secret that its forms are bound to.

import { describe, expect, it } from 'vitest'
import { cookieName, readCookie, setCookie } from '../../../src/features/oauth/bridge/cookies.ts'
import {
  dropFlowMarks,
  type FlowMark,
  flowKey,
  keepFlowMark,
  readFlowMarks,
} from '../../../src/features/oauth/bridge/flow-marks.ts'
import { openForm, requireFormToken } from '../../../src/features/oauth/bridge/form-token.ts'
import { seal, unseal } from '../../../src/features/oauth/bridge/sealed-value.ts'

const deps = { config: { baseUrl: 'http://127.0.0.1:8787', databaseUrl: 'postgres://owner:secret@h/quoin' } }
const others = { config: { ...deps.config, databaseUrl: 'postgres://owner:other@h/quoin' } }
const sentBack = (cookie: string) => cookie.split(';', 1)[0] ?? ''
const mark = (key: string, rest: Partial<FlowMark> = {}): FlowMark => ({
  key,
  bounces: 1,
  sentAtMs: 1_700_000_000_000,
  restartUrl: 'https://oauth.example/oauth2/auth?client_id=app',
  ...rest,
})

describe('a cookie of ours', () => {
  it('is found among others, by its whole name', () => {
    expect(readCookie('xa=1; a=b=c ; b=', 'a')).toBe('b=c')
    expect(readCookie('xa=1; b=', 'b')).toBe('')
    expect(readCookie('xa=1', 'a')).toBeUndefined()
    expect(readCookie(null, 'a')).toBeUndefined()
  })

  // Without the prefix a neighbouring subdomain could plant a secret that it knows.
  it('is bound to host and https where there is https', () => {
    expect(setCookie('https://q.example', { name: 'form', value: 'v' })).toBe(
      '__Host-quoin_form=v; Path=/; HttpOnly; SameSite=Lax; Secure',
    )
    expect(cookieName('http://127.0.0.1:8787', 'form')).toBe('quoin_form')
  })
})

describe('a sealed value', () => {
  it('comes back as it was, with the same secret alone', async () => {
    const sealed = await seal('one', { a: ['ü', 1] })
    expect(await unseal('one', sealed)).toEqual({ a: ['ü', 1] })
    expect(await unseal('two', sealed)).toBeUndefined()
  })

  it.each(['', '.', 'a.b', 'AAAA', 'AAAA.AAAA', '%%.%%', 'A.A.A', 'A'.repeat(5_000)])(
    'is nothing when somebody wrote "%s"',
    async forged => {
      expect(await unseal('one', forged)).toBeUndefined()
    },
  )
})

describe('the marks of a flow', () => {
  it('come back newest first, and are replaced by the key', async () => {
    const first = sentBack(await keepFlowMark(deps, [], mark('a')))
    const marks = await readFlowMarks(deps, `x=1; ${first}`)
    const second = sentBack(await keepFlowMark(deps, marks, mark('b')))
    const both = await readFlowMarks(deps, second)
    expect(both.map(({ key }) => key)).toEqual(['b', 'a'])
    const third = sentBack(await keepFlowMark(deps, both, mark('a', { bounces: 2 })))
    expect((await readFlowMarks(deps, third)).map(({ key, bounces }) => [key, bounces])).toEqual([
      ['a', 2],
      ['b', 1],
    ])
  })

  // Who may write the time of being sent away can pass prompt=login with an old session.
  it('are nothing when they were not signed by this deployment', async () => {
    const cookie = sentBack(await keepFlowMark(others, [], mark('a', { sentAtMs: 1 })))
    expect(await readFlowMarks(deps, cookie)).toEqual([])
  })

  it('fit a cookie however many flows there are and however long their addresses', async () => {
    let marks: FlowMark[] = []
    for (let i = 0; i < 10; i++) {
      const restartUrl = `https://oauth.example/oauth2/auth?state=${'x'.repeat(1_100)}`
      const cookie = await keepFlowMark(deps, marks, mark(`k${i}`, { restartUrl }))
      expect(cookie.length).toBeLessThan(4_000)
      marks = await readFlowMarks(deps, sentBack(cookie))
      expect(marks[0]).toMatchObject({ key: `k${i}`, restartUrl })
    }
    const tooLong = `https://oauth.example/${'x'.repeat(5_000)}`
    const cookie = sentBack(await keepFlowMark(deps, marks, mark('long', { restartUrl: tooLong })))
    expect((await readFlowMarks(deps, cookie))[0]).toMatchObject({ key: 'long', restartUrl: '' })
  })

  it('go when their flow is over', async () => {
    const marks = [mark('a'), mark('b')]
    const [left = ''] = await dropFlowMarks(deps, marks, ['a'])
    expect((await readFlowMarks(deps, sentBack(left))).map(({ key }) => key)).toEqual(['b'])
    expect((await dropFlowMarks(deps, [mark('a')], ['a']))[0]).toContain('Max-Age=0')
    expect(await dropFlowMarks(deps, marks, ['unknown'])).toEqual([])
  })

  it('do not hold the challenge', async () => {
    const key = await flowKey('the-secret-challenge')
    expect(key).toMatch(/^[0-9a-f]{16}$/)
    expect(await flowKey('another')).not.toBe(key)
  })
})

describe('the token of a form', () => {
  it('is good for its challenge in the browser that opened it, in every tab', async () => {
    const { token, cookies } = await openForm(deps, null, 'one')
    const cookie = sentBack(cookies[0] ?? '')
    await expect(requireFormToken(deps, cookie, 'one', token)).resolves.toBeUndefined()
    const another = await openForm(deps, cookie, 'two')
    expect(another.cookies).toEqual([])
    await expect(requireFormToken(deps, cookie, 'two', another.token)).resolves.toBeUndefined()
  })

  // Who knows a challenge, from a log or an address, must not be able to consent with it.
  it('is refused elsewhere: without the cookie, with another one, for another challenge', async () => {
    const { token, cookies } = await openForm(deps, null, 'one')
    const stranger = await openForm(deps, null, 'one')
    const refusal = { code: 'form_token_invalid' }
    const cookie = sentBack(cookies[0] ?? '')
    await expect(requireFormToken(deps, null, 'one', token)).rejects.toMatchObject(refusal)
    await expect(requireFormToken(deps, cookie, 'two', token)).rejects.toMatchObject(refusal)
    await expect(requireFormToken(deps, cookie, 'one', stranger.token)).rejects.toMatchObject(refusal)
    for (const forged of ['', '%%', 'AAAA', `${token}A`])
      await expect(requireFormToken(deps, cookie, 'one', forged)).rejects.toMatchObject(refusal)
    await expect(requireFormToken(deps, 'quoin_form=short', 'one', token)).rejects.toMatchObject(refusal)
  })
})
