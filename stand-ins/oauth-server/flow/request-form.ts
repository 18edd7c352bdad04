// The parameters of a request, of its address and its body.

import type { RequestContext } from '../context.ts'

/** Query and, for a POST, form body together; where both name a parameter, the body's value comes first. */
export async function readRequestForm(c: RequestContext): Promise<URLSearchParams> {
  const form = await readBodyForm(c)
  for (const [name, value] of new URL(c.req.url).searchParams) form.append(name, value)
  return form
}

/** The form body alone; empty for a body of another type. */
export async function readBodyForm(c: RequestContext): Promise<URLSearchParams> {
  if (c.req.method !== 'POST') return new URLSearchParams()
  const type = (c.req.header('content-type') ?? '').toLowerCase()
  if (!type.startsWith('application/x-www-form-urlencoded')) return new URLSearchParams()
  return new URLSearchParams(await c.req.text())
}
