// Which network addresses are public, whatever notation they come in. Pure. Source: the IANA special-purpose registries
// for IPv4 and IPv6, and RFC 6052 and 4291 for addresses that carry an IPv4 address inside.

/** `[first address, prefix length]` of the IPv4 ranges that no webhook may reach. */
const SPECIAL_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** True for a public IPv4 or IPv6 address in text form, false for every other one and for what is no address. */
export function isPublicAddress(text: string): boolean {
  const ipv4 = parseIpv4(text)
  if (ipv4 !== undefined) return isPublicIpv4(ipv4)
  const ipv6 = parseIpv6(text)
  return ipv6 !== undefined && isPublicIpv6(ipv6)
}

/** True for text that is an IPv4 or IPv6 address as `URL` writes host names (IPv6 without its brackets). */
export function isAddress(text: string): boolean {
  return parseIpv4(text) !== undefined || parseIpv6(text) !== undefined
}

function isPublicIpv4(address: number): boolean {
  return !SPECIAL_IPV4.some(([first, length]) => {
    const size = 2 ** (32 - length)
    return Math.floor(address / size) === Math.floor((parseIpv4(first) ?? 0) / size)
  })
}

function isPublicIpv6(groups: readonly number[]): boolean {
  const [a = 0, b = 0] = groups
  const isMapped = groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff
  const isNat64 = a === 0x64 && b === 0xff9b && groups.slice(2, 6).every(group => group === 0)
  if (isMapped || isNat64) return isPublicIpv4((groups[6] ?? 0) * 0x10000 + (groups[7] ?? 0))
  // Only 2000::/3 is handed out at all; of it, protocol assignments (Teredo among them), documentation and 6to4 are
  // not.
  const isGlobal = a >> 13 === 1
  const isProtocol = a === 0x2001 && b < 0x200
  const isDocumentation = (a === 0x2001 && b === 0xdb8) || (a === 0x3fff && b < 0x1000)
  return isGlobal && !isProtocol && !isDocumentation && a !== 0x2002
}

/** Four decimal numbers: `URL` has turned every other notation (0x7f.1, 2130706433, 0177.0.0.1) into it. */
function parseIpv4(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number)
  if (parts === undefined || parts.some(part => part > 255)) return undefined
  return parts.reduce((address, part) => address * 256 + part, 0)
}

function parseIpv6(text: string): number[] | undefined {
  if (!/^[0-9a-f:.]+$/i.test(text) || !text.includes(':')) return undefined
  const [head = '', tail, ...rest] = text.split('::')
  if (rest.length > 0) return undefined
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')]
  const missing = 8 - first.length - last.length
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  const groups = [...first, ...Array<number>(missing).fill(0), ...last]
  return groups.every(group => group >= 0 && group <= 0xffff) ? groups : undefined
}

/** NaN, which no comparison lets through, for a group that is none. */
function groupsOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap(part => {
    const ipv4 = parseIpv4(part)
    if (ipv4 !== undefined) return [Math.floor(ipv4 / 0x10000), ipv4 % 0x10000]
    return [/^[0-9a-f]{1,4}$/i.test(part) ? Number.parseInt(part, 16) : Number.NaN]
  })
}
