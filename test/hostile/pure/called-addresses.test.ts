// Whoever may write clients (a service_role key) has the OAuth2 server call what only that server can reach: itself,
// whatever listens on its machine, the metadata service of a cloud, what stands behind its firewall.

import { describe, expect, it } from 'vitest'
import { refusePrivateAddresses } from '../../../src/features/oauth/clients/called-addresses.ts'

const FIELDS = ['backchannel_logout_uri', 'sector_identifier_uri'] as const

const LOOPBACK = ['127.0.0.1', '127.1', '127.0.0.1.', '0x7f000001', '2130706433', '0177.0.0.1', '[::1]']
const LOCAL_NAMES = [
  'localhost',
  'LOCALHOST',
  'app.localhost',
  'localhost.',
  'app.localhost.',
  'printer.local',
  'db.internal',
]
const PRIVATE = [
  '169.254.169.254',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '0.0.0.0',
  '0',
  '127.255.255.254',
  '0xa9fea9fe',
  '2852039166',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fe80::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:10.0.0.1]',
  '[64:ff9b::a00:1]',
]

const refusalOf = (field: (typeof FIELDS)[number], uri: string, allowPrivateWebhookTargets: boolean) => () =>
  refusePrivateAddresses({ allowPrivateWebhookTargets }, { [field]: uri })

describe.each(FIELDS)('an address that the OAuth2 server calls, %s', field => {
  it.each([...LOOPBACK, ...LOCAL_NAMES, ...PRIVATE])('is never at %s', host => {
    expect(refusalOf(field, `https://${host}:8443/x`, false)).toThrow(`body.${field}: must `)
  })

  it.each(PRIVATE)('is not at %s in development either', host => {
    expect(refusalOf(field, `https://${host}/x`, true)).toThrow(`body.${field}: must `)
  })

  it.each(['localhost', 'app.localhost', '127.0.0.1', '[::1]'])('may be at %s in development', host => {
    expect(refusalOf(field, `http://${host}:5555/x`, true)).not.toThrow()
  })

  it.each([
    'a.example',
    '8.8.8.8',
    '172.32.0.1',
    '[2606:4700::1111]',
    'localhost.example',
    '127.0.0.1.example',
  ])('may be at %s', host => {
    expect(refusalOf(field, `https://${host}/x`, false)).not.toThrow()
  })
})

it('is not missed where it is cleared or left out', () => {
  const config = { allowPrivateWebhookTargets: false }
  expect(() => refusePrivateAddresses(config, {})).not.toThrow()
  expect(() =>
    refusePrivateAddresses(config, { backchannel_logout_uri: null, sector_identifier_uri: '' }),
  ).not.toThrow()
})
