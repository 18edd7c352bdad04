import type { RequestContext } from './context.ts'

/** The values of all cookies of that name, in the order sent: a browser may hold one for each of several paths. */
export function getCookieValues(c: RequestContext, name: string): string[] {
  return (c.req.header('cookie') ?? '').split(';').flatMap(pair => {
    const at = pair.indexOf('=')
    return at > 0 && pair.slice(0, at).trim() === name
      ? [
          pair
            .slice(at + 1)
            .trim()
            .replace(/^"(.*)"$/, '$1'),
        ]
      : []
  })
}
