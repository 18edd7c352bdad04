// What can be done with a token that somebody pasted into the search. It is handed over in memory: an address would
// keep it.

import { queryClient } from '../api/query-client.ts'
import type { PaletteItem } from './root-route.ts'

const HANDED_OVER = ['pasted token']

/** The token that was handed over, once. */
export function takePastedToken(): string | undefined {
  const token = queryClient.getQueryData<string>(HANDED_OVER)
  queryClient.removeQueries({ queryKey: HANDED_OVER })
  return token
}

/** For another view to open with a token: the next `takePastedToken` there has it. */
export function handOverToken(token: string): void {
  queryClient.setQueryData(HANDED_OVER, token)
}

const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/
/** Opaque tokens of Ory's servers begin so; others are long, without spaces, and no email address. */
const OPAQUE = /^(ory_(at|rt|ac)_\S+|[^\s@]{40,})$/

export function pastedTokenItems(text: string): PaletteItem[] {
  const before = () => handOverToken(text)
  const introspect = {
    id: 'token introspect',
    title: 'Introspect this token',
    href: '/oauth2/tokens',
    before,
  }
  if (JWT.test(text))
    return [
      { id: 'token decode', title: 'Decode this JWT', href: '/oauth2/jwt-debugger', before },
      introspect,
    ]
  return OPAQUE.test(text) ? [introspect] : []
}
