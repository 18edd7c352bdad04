// The conditions of a subscription's filter, one by one. Pure. Supabase joins several by commas, which means AND.

/**
 * Splits at commas outside quotes and brackets, and takes the spaces around each condition away. Quotes and brackets
 * count as in Supabase; `{` and `[` only where a value begins with them or inside such a value, and the other end of
 * a range may close it.
 */
export function splitFilter(text: string): string[] {
  const conditions: string[] = []
  let open = ''
  let isQuoted = false
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at)
    if (isQuoted) {
      if (sign === '\\') at++
      else if (sign === '"') isQuoted = false
    } else if (sign === '"') isQuoted = beginsQuotes(text, start, at, open)
    else if (sign === ',' && open === '') {
      conditions.push(text.slice(start, at).trim())
      start = at + 1
    } else open = bracketsBehind(text, at, open)
  }
  return [...conditions, text.slice(start).trim()]
}

function beginsQuotes(text: string, start: number, at: number, open: string): boolean {
  const isName = text.slice(start, at).trim() === ''
  return isName || '.(,'.includes(text.charAt(at - 1)) || open.endsWith('{') || open.endsWith('[')
}

/** The brackets that are open behind the sign; `l` is that of a list (`in.(`). */
function bracketsBehind(text: string, at: number, open: string): string {
  const sign = text.charAt(at)
  switch (sign) {
    case '(':
      return open + (open === '' && /(?:=|\.)in\.$/.test(text.slice(Math.max(0, at - 4), at)) ? 'l' : '(')
    case '{':
    case '[':
      return (open === '' ? text.charAt(at - 1) === '.' : /[{[]$/.test(open)) ? open + sign : open
    case ')':
      return open.endsWith('{') ? open : open.slice(0, -1)
    case ']':
      return /[[(]$/.test(open) && !open.startsWith('l') ? open.slice(0, -1) : open
    case '}':
      return open.endsWith('{') ? open.slice(0, -1) : open
    default:
      return open
  }
}
