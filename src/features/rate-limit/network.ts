// Which addresses count as one caller. Pure.

/** An IPv6 customer owns at least a /64, so its addresses count as one; IPv4 addresses stand for themselves. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail] = address.split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0')
  return [...first, ...zeros, ...last].slice(0, 4).join(':')
}

/** An IPv6 address has 39 characters; what a client sends as its own may have any number. */
const NETWORK_CHARACTERS_MAX = 45

/** Whose work a call is where callers share something: the key, and the client's network behind a slash. */
export function shareName(keyId: string, address: string | null): string {
  const network = address === null ? 'unknown' : networkOf(address)
  return `${keyId}/${network.slice(0, NETWORK_CHARACTERS_MAX)}`
}
