// A browser in words. User agents are what anybody likes to send: what is not known is shown as it is. Pure.

/** The first that fits: Edge and Opera name Chrome too, and Chrome names Safari. */
const BROWSERS: readonly [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrom(e|ium)\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: readonly [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Macintosh|Mac OS X/, 'macOS'],
  [/Linux|X11/, 'Linux'],
]

/** `Chrome on macOS`; of another program its own text. */
export function deviceName(userAgent: string | null): string {
  if (userAgent === null) return 'Unknown device'
  const find = (list: typeof BROWSERS) => list.find(([pattern]) => pattern.test(userAgent))?.[1]
  const browser = find(BROWSERS)
  const system = find(SYSTEMS)
  if (browser === undefined) return userAgent
  return system === undefined ? browser : `${browser} on ${system}`
}
