// What a browser's flows have been through, in one signed cookie: how often each was sent to sign in, since when, and
// where it began. The first ends redirect loops. The second tells a fresh sign-in from an old one. The third lets a
// page offer to start again when the server no longer knows the flow. Signed, because who may forge the second can pass
// a `prompt=login` without signing in.

import * as z from 'zod'
import { sha256Hex } from '../../../lib/hash.ts'
import type { BridgeDeps } from './bridge-deps.ts'
import { cookieName, readCookie, setCookie } from './cookies.ts'
import { seal, unseal } from './sealed-value.ts'

const FlowMark = z.object({
  /** Says which flow, without being its challenge; for what goes on under a new challenge, without its address. */
  key: z.string(),
  /** How often the browser was sent to the identity provider, or the flow was started over. */
  bounces: z.number(),
  /** When it was sent there first, or started over last; 0 when it never was. */
  sentAtMs: z.number(),
  /** Where the flow began; empty when that is not known or too long to keep. */
  restartUrl: z.string(),
})
export type FlowMark = z.infer<typeof FlowMark>

type CookieDeps = { config: Pick<BridgeDeps['config'], 'baseUrl' | 'databaseUrl'> }

const COOKIE = 'flows'
/** A flow's own challenge is no older than half an hour by the server's default. */
const LIFE_SECONDS = 3_600
/** Tabs that sign in at the same time; of more, the oldest are forgotten. */
const FLOWS_MAX = 4
const RESTART_URL_LENGTH_MAX = 1_200
/** Browsers keep cookies of up to 4 096 bytes, name and attributes included. */
const COOKIE_LENGTH_MAX = 3_600

/** The name of a flow in marks: a part of the hash of its challenge, or of the address where it began. */
export async function flowKey(challengeOrAddress: string): Promise<string> {
  return (await sha256Hex(challengeOrAddress)).slice(0, 16)
}

/** The marks that the browser sent, newest first; none when they are not ours. */
export async function readFlowMarks(deps: CookieDeps, cookieHeader: string | null): Promise<FlowMark[]> {
  const sealed = readCookie(cookieHeader, cookieName(deps.config.baseUrl, COOKIE))
  if (sealed === undefined) return []
  const parsed = z.array(FlowMark).safeParse(await unseal(deps.config.databaseUrl, sealed))
  return parsed.success ? parsed.data : []
}

/** The Set-Cookie value that keeps `mark`, and of the others as many as there is room for. */
export async function keepFlowMark(
  deps: CookieDeps,
  marks: readonly FlowMark[],
  mark: FlowMark,
): Promise<string> {
  const isShort = mark.restartUrl.length <= RESTART_URL_LENGTH_MAX
  const kept = [
    isShort ? mark : { ...mark, restartUrl: '' },
    ...marks.filter(({ key }) => key !== mark.key),
  ].slice(0, FLOWS_MAX)
  let value = await seal(deps.config.databaseUrl, kept)
  while (value.length > COOKIE_LENGTH_MAX && kept.pop() !== undefined)
    value = await seal(deps.config.databaseUrl, kept)
  return setCookie(deps.config.baseUrl, { name: COOKIE, value, maxAgeSeconds: LIFE_SECONDS })
}

/** The Set-Cookie value without the marks of these keys; the cookie goes when nothing is left. */
export async function dropFlowMarks(
  deps: CookieDeps,
  marks: readonly FlowMark[],
  keys: readonly string[],
): Promise<string[]> {
  const kept = marks.filter(mark => !keys.includes(mark.key))
  if (kept.length === marks.length) return []
  const value = kept.length === 0 ? '' : await seal(deps.config.databaseUrl, kept)
  const maxAgeSeconds = kept.length === 0 ? 0 : LIFE_SECONDS
  return [setCookie(deps.config.baseUrl, { name: COOKIE, value, maxAgeSeconds })]
}
