// Which addresses count as one caller. Pure.

/** An IPv6 address has 45 at most; what a client sends as its own, where nobody checks, may have any number. */
const ADDRESS_CHARACTERS_MAX = 45

/** An IPv6 customer owns at least a /64, so its addresses count as one; IPv4 addresses stand for themselves. */
export function networkOf(address: string): string {
  const network = address.slice(0, ADDRESS_CHARACTERS_MAX)
  return network.includes(':') && !network.includes('.') ? prefixOf(network) : network
}

function prefixOf(address: string): string {
  const [head = '', tail] = address.split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0')
  return [...first, ...zeros, ...last].slice(0, 4).join(':')
}

/** Whose work a call is where callers share something: the key, and the client's network behind a slash. */
export function shareName(keyId: string, address: string | null): string {
  const network = address === null ? 'unknown' : networkOf(address)
  return `${keyId}/${network}`
}
