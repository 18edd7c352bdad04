// The paths of mounts: literal segments, `:name` for one segment, and at the end perhaps `:name{.+}` for all that is
// left, slashes and all. Read here and by the types in `route.ts` alone.

const PARAM = /:(\w+)(\{\.\+\})?/g

/** The names in a path, in order. */
export function paramNames(path: string): string[] {
  return Array.from(path.matchAll(PARAM), ([, name = '']) => name)
}

/** The path with something in place of each parameter. */
export function fillParams(path: string, fill: (name: string) => string): string {
  return path.replace(PARAM, (_, name: string) => fill(name))
}

/** As the router reads it. There `.` is no line break, and of names nothing is lost on the way to who checks them. */
export function routerPattern(path: string): string {
  return path.replace('{.+}', '{[^]+}')
}

/** Whether segments are those of a path like this; of a last parameter for the rest, the first are enough. */
export function isPathOf(path: string, segments: readonly string[]): boolean {
  const expected = path.split('/')
  const takesRest = path.endsWith('{.+}')
  const isLonger = segments.length > expected.length
  if (isLonger ? !takesRest : segments.length < expected.length) return false
  return expected.every((part, i) => {
    if (!part.startsWith(':')) return part === segments[i]
    return segments[i] !== '' || (takesRest && isLonger && i === expected.length - 1)
  })
}
