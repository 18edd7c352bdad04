// Where a webhook may send: the URL's form and literal addresses when it is saved, and what its name resolves to
// before a connection. A check before `fetch` cannot stop a name that changes in between: that the
// runtime refuses private addresses itself (docs/deploy.md) is the guarantee, this is the clear message.

import { isAddress, isPublicAddress } from './public-address.ts'

export interface TargetRules {
  /** ALLOW_PRIVATE_WEBHOOK_TARGETS: for development, where receivers are on this machine. */
  allowPrivate: boolean
  /** Host names of the deployment itself, lower case: a webhook must not call what it stands behind. */
  ownHosts: readonly string[]
}

const URL_LENGTH_MAX = 2_048

/** Names that never leave a machine or a network (RFC 6761, RFC 6762, RFC 9476). */
const LOCAL_NAMES = /(^|\.)(localhost|local|internal|home\.arpa)$/

/** What is wrong with a target's URL, as a sentence; undefined for one that may be saved. Resolves no names. */
export function targetProblem(text: string, rules: TargetRules): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return 'must be a URL, as https://example.com/hook'
  if (text.length > URL_LENGTH_MAX) return `must have at most ${URL_LENGTH_MAX} characters`
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://'
  if (url.username !== '' || url.password !== '') {
    return 'must not hold a user name or password; send them in `headers`'
  }
  if (rules.allowPrivate) return undefined
  const host = hostOf(url)
  if (LOCAL_NAMES.test(host)) return `must not point into a private network (${host})`
  if (rules.ownHosts.includes(host)) return `must not point at this service itself (${host})`
  if (isAddress(host) && !isPublicAddress(host)) return `must be a public address (${host} is not)`
  return undefined
}

/** The rules of a deployment. */
export function targetRulesOf(config: {
  allowPrivateWebhookTargets: boolean
  baseUrl: string
  dashboardUrl: string | undefined
}): TargetRules {
  const urls = [config.baseUrl, config.dashboardUrl].filter(url => url !== undefined)
  return {
    allowPrivate: config.allowPrivateWebhookTargets,
    ownHosts: urls.map(url => hostOf(new URL(url))),
  }
}

/** The host as it is looked up and compared: no brackets, no final dots. */
export function hostOf(url: URL): string {
  return url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '')
}
