// Where webhooks may not send: the attack is a request into our own network (server-side request forgery).

import { describe, expect, it, vi } from 'vitest'
import { deliveryHeaders, headersProblem } from '../../../src/features/webhooks/delivery/delivery-headers.ts'
import { makeSecretBox } from '../../../src/features/webhooks/secret-box.ts'
import { makeTargetGuard } from '../../../src/features/webhooks/target-guard.ts'
import { targetProblem, targetRulesOf } from '../../../src/lib/target-address.ts'

const RULES = targetRulesOf({
  allowPrivateWebhookTargets: false,
  baseUrl: 'https://quoin.example/base',
  dashboardUrl: undefined,
})

describe('the URL of a target', () => {
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://0x7f.1/',
    'http://0x7f000001/',
    'http://127.1:8080/',
    'http://0/',
    'http://10.1.2.3/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://172.31.255.255/',
    'http://192.168.0.1/',
    'http://192.0.2.1/',
    'http://198.19.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[0:0:0:0:0:ffff:a00:1]/',
    'http://[64:ff9b::10.0.0.1]/',
    'http://[64:ff9b:1::1]/',
    'http://[fe80::1]/',
    'http://[fc00::1]/',
    'http://[fd12:3456::1]/',
    'http://[ff02::1]/',
    'http://[2001:db8::1]/',
    'http://[2001::1]/',
    'http://[2002:7f00:1::]/',
    'http://[::7f00:1]/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://a.localhost:3000/',
    'http://printer.local/',
    'http://metadata.google.internal/',
    'http://①②⑦.0.0.1/',
    'https://quoin.example/v1/sql',
    'https://QUOIN.example./',
    'https://user:pass@example.com/',
    'https://user@example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'example.com',
    '',
    `https://example.com/${'a'.repeat(2_100)}`,
  ])('refuses %s', url => {
    expect(targetProblem(url, RULES)).toEqual(expect.any(String))
  })

  it.each([
    'https://example.com/hook?a=1#b',
    'http://8.8.8.8:8080/',
    'https://[2606:4700:4700::1111]/',
    'https://[64:ff9b::8.8.8.8]/',
    'https://localhost.example.com/',
    'https://172.32.0.1/',
    'https://100.63.255.255/',
  ])('takes %s', url => {
    expect(targetProblem(url, RULES)).toBeUndefined()
  })

  it('takes this machine where the deployment allows it, but still no credentials', () => {
    const open = { ...RULES, allowPrivate: true }
    expect(targetProblem('http://127.0.0.1:1/', open)).toBeUndefined()
    expect(targetProblem('http://a:b@127.0.0.1:1/', open)).toContain('password')
  })
})

describe('the guard before a connection', () => {
  /** What the resolver says of each record type: records, or a whole answer; nothing: no connection. */
  const guardFor = (answers: Record<string, object[] | Response | undefined>) => {
    const fetch = vi.fn(async (input: string) => {
      const type = new URL(input).searchParams.get('type') ?? ''
      const answer = answers[type]
      if (answer === undefined) throw new TypeError('no connection')
      return answer instanceof Response ? answer : Response.json({ Status: 0, Answer: answer })
    })
    let nowMs = 0
    const guard = makeTargetGuard({
      rules: RULES,
      fetch: fetch as unknown as typeof globalThis.fetch,
      nowMs: () => nowMs,
    })
    return {
      guard,
      fetch,
      answers,
      pass: (ms: number) => {
        nowMs += ms
      },
    }
  }
  const a = (data: string) => ({ name: 'x', type: 1, data })
  const aaaa = (data: string) => ({ name: 'x', type: 28, data })

  it('lets a name through that resolves to public addresses alone, and remembers that for half a minute', async () => {
    const { guard, fetch, pass } = guardFor({
      A: [{ type: 5, data: 'alias.' }, a('93.184.216.34')],
      AAAA: [],
    })
    expect(await guard.check('https://hooks.example/')).toBeUndefined()
    expect(await guard.check('https://hooks.example/other')).toBeUndefined()
    expect(fetch).toHaveBeenCalledTimes(2)
    pass(31_000)
    await guard.check('https://hooks.example/')
    expect(fetch).toHaveBeenCalledTimes(4)
  })

  it.each([
    { A: [a('93.184.216.34'), a('10.0.0.1')], AAAA: [] },
    { A: [a('93.184.216.34')], AAAA: [aaaa('::1')] },
    { A: [a('nonsense')], AAAA: [] },
  ])('refuses a name when one of its addresses is not public: %o', async answers => {
    expect(await guardFor(answers).guard.check('https://rebind.example/')).toBe('target_not_public')
  })

  it.each([
    { A: [], AAAA: [] },
    { A: undefined, AAAA: undefined },
  ])('does not connect to a name that does not resolve: %o', async answers => {
    expect(await guardFor(answers).guard.check('https://nowhere.example/')).toBe('name_not_resolved')
  })

  // A resolver that hides the private half of a name would else open the way to it.
  it.each<[string, () => Response | undefined]>([
    ['does not answer', () => undefined],
    ['answers 500', () => Response.json({ Status: 0, Answer: [] }, { status: 500 })],
    ['answers SERVFAIL', () => Response.json({ Status: 2 })],
    ['answers REFUSED', () => Response.json({ Status: 5 })],
    ['answers without a status', () => Response.json({ Answer: [] })],
    ['answers what is no JSON', () => new Response('<html>')],
    ['answers null', () => new Response('null')],
    ['answers with a record without data', () => Response.json({ Status: 0, Answer: [{ type: 1 }] })],
    [
      'answers with an address that is a number',
      () => Response.json({ Status: 0, Answer: [{ type: 28, data: 8 }] }),
    ],
    ['answers with a record that is none', () => Response.json({ Status: 0, Answer: [null] })],
    ['answers too much', () => Response.json({ Status: 0, Answer: [], Comment: 'x'.repeat(70_000) })],
  ])('does not connect where one of the two questions %s', async (_what, failure) => {
    for (const [known, failed] of [
      ['A', 'AAAA'],
      ['AAAA', 'A'],
    ] as const) {
      const records = known === 'A' ? [a('93.184.216.34')] : [aaaa('2606:4700:4700::1111')]
      const { guard } = guardFor({ [known]: records, [failed]: failure() })
      expect(await guard.check('https://half.example/')).toBe('name_not_resolved')
    }
  })

  it('says not public when the half that was answered is private', async () => {
    const { guard } = guardFor({ A: [a('10.0.0.1')], AAAA: undefined })
    expect(await guard.check('https://half.example/')).toBe('target_not_public')
  })

  it.each<[string, () => Response]>([
    ['no record of it', () => Response.json({ Status: 0 })],
    ['NXDOMAIN', () => Response.json({ Status: 3 })],
  ])('takes a name with addresses of one family where the other has %s', async (_what, none) => {
    expect(
      await guardFor({ A: [a('93.184.216.34')], AAAA: none() }).guard.check('https://x.example/'),
    ).toBeUndefined()
    expect(
      await guardFor({ A: none(), AAAA: [aaaa('2606:4700:4700::1111')] }).guard.check('https://x.example/'),
    ).toBeUndefined()
  })

  it('asks a resolver that failed again after two seconds', async () => {
    const { guard, answers, fetch, pass } = guardFor({ A: undefined, AAAA: [] })
    await guard.check('https://x.example/')
    answers['A'] = [a('93.184.216.34')]
    expect(await guard.check('https://x.example/')).toBe('name_not_resolved')
    expect(fetch).toHaveBeenCalledTimes(2)
    pass(2_000)
    expect(await guard.check('https://x.example/')).toBeUndefined()
  })

  it('stops reading an answer that does not end', async () => {
    let parts = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        parts += 1
        controller.enqueue(new Uint8Array(16 * 1024).fill(32))
      },
    })
    const { guard } = guardFor({ A: [a('93.184.216.34')], AAAA: new Response(endless) })
    expect(await guard.check('https://x.example/')).toBe('name_not_resolved')
    expect(parts).toBeLessThan(10)
  })

  it('refuses a literal that a row still has, without asking anybody', async () => {
    const { guard, fetch } = guardFor({})
    expect(await guard.check('http://169.254.169.254/')).toBe('target_not_public')
    expect(await guard.check('http://8.8.8.8/')).toBeUndefined()
    expect(fetch).not.toHaveBeenCalled()
  })
})

describe('custom headers', () => {
  it.each([
    [{ Connection: 'close' }, 'Connection'],
    [{ 'Transfer-Encoding': 'chunked' }, 'Transfer-Encoding'],
    [{ Host: 'evil' }, 'Host'],
    [{ 'Content-Length': '0' }, 'Content-Length'],
    [{ 'X-Service-Signature': 'x' }, 'X-Service-Signature'],
    [{ 'WEBHOOK-ID': 'x' }, 'WEBHOOK-ID'],
    [{ 'X-Quoin-Test': 'x' }, 'X-Quoin-Test'],
    [{ 'CF-Connecting-IP': '1.1.1.1' }, 'CF-Connecting-IP'],
    [{ 'a b': 'x' }, 'a b'],
    [{ '': 'x' }, 'header name'],
    [{ a: 'x\r\nb: y' }, 'line break'],
    [{ a: 'x\n' }, 'line break'],
    [{ a: 'ü' }, 'ASCII'],
    [{ a: '1', A: '2' }, 'twice'],
    [Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`h${i}`, ''])), '50'],
    [{ a: 'x'.repeat(9_000) }, '8192'],
  ])('refuses %o', (headers, named) => {
    expect(headersProblem(headers as Record<string, string>)).toContain(named)
  })

  it('takes the rest, and never lets one replace ours', () => {
    expect(
      headersProblem({ Authorization: 'Bearer x', 'X-Tenant': '7', 'User-Agent': 'mine' }),
    ).toBeUndefined()
    const sent = deliveryHeaders(
      { 'User-Agent': 'mine', 'Content-Type': 'text/plain', 'webhook-id': 'forged', bad: '\n' },
      { 'webhook-id': 'ours' },
    )
    expect(sent).toEqual({ 'user-agent': 'mine', 'content-type': 'application/json', 'webhook-id': 'ours' })
  })
})

describe('secrets at rest', () => {
  const box = makeSecretBox(Buffer.alloc(32, 7).toString('base64'))

  it('open under the same key and name, and differ each time', async () => {
    const [one, two] = [await box.seal('w1', 'geheim ü'), await box.seal('w1', 'geheim ü')]
    expect(one).not.toBe(two)
    expect(one).not.toContain('geheim')
    expect(await box.open('w1', one)).toBe('geheim ü')
  })

  it('do not open in another row, under another key, or changed', async () => {
    const sealed = await box.seal('w1', 'geheim')
    const other = makeSecretBox(Buffer.alloc(32, 8).toString('base64'))
    const changed = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA')
    await expect(box.open('w2', sealed)).rejects.toThrow()
    await expect(other.open('w1', sealed)).rejects.toThrow()
    await expect(box.open('w1', changed)).rejects.toThrow()
    await expect(box.open('w1', 'geheim')).rejects.toThrow()
  })

  it('need a key of 32 bytes', () => {
    expect(() => makeSecretBox('c2hvcnQ=')).toThrow('32 bytes')
  })
})
