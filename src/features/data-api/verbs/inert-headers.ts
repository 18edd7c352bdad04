// Types that the user's functions give their answers: whatever a browser makes of one, nothing in it runs at this
// origin, where the dashboard's session is. Pure.

/** Types that browsers show without running anything in them; nosniff keeps them what they are. */
const INERT = new RegExp(
  '^(?:(?:image|audio|video|font)/(?!svg)[\\w.+-]+|text/(?:plain|csv|markdown)|' +
    'application/(?:pdf|octet-stream|vnd\\.pgrst\\.plan\\+text|(?:[\\w.-]+\\+)?json))(?: *;.*)?$',
  'i',
)

const HTML = /^\s*text\/html\b/i

/** The headers as they may go out: a page shows its source, and what may hold scripts is in a sandbox. */
export function inertHeaders(headers: Record<string, string>): Record<string, string> {
  const type = headers['content-type']
  if (type === undefined || (INERT.test(type) && !type.includes(','))) return headers
  return {
    ...headers,
    'content-type': HTML.test(type) ? 'text/plain; charset=utf-8' : type,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  }
}
