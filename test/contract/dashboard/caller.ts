// Calls under `/api` as the dashboard makes them, with the session of an administrator or of a member.

import { inject } from 'vitest'
import { type AuditLog, AuditLogList } from '../../../src/features/audit/schemas.ts'

const stack = inject('stack')

export interface DashboardAnswer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the tests are what says which shape the JSON has.
  json: any
  text: string
}

export interface DashboardCall {
  body?: unknown
  headers?: Record<string, string>
}

/** An address of its own, so that no other file's calls count against its allowance. */
const address = `198.18.7.${Math.floor(Math.random() * 250)}`
const COOKIES = { admin: stack.session_cookie_admin ?? '', member: stack.session_cookie_user ?? '' }

/** One request; a body that is no text goes as JSON. */
export async function callAs(
  who: 'admin' | 'member',
  method: string,
  path: string,
  { body, headers = {} }: DashboardCall = {},
): Promise<DashboardAnswer> {
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(stack.base_url + path, {
    method,
    headers: {
      cookie: COOKIES[who],
      'cf-connecting-ip': address,
      'content-type': 'application/json',
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
  })
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  const json = isJson && text !== '' ? JSON.parse(text) : null
  return { status: response.status, headers: response.headers, json, text }
}

export function asAdmin(method: string, path: string, call?: DashboardCall): Promise<DashboardAnswer> {
  return callAs('admin', method, path, call)
}

/** What a member, who is no administrator, is told. */
export async function memberOutcome(method: string, path: string): Promise<[number, string]> {
  const { status, json } = await callAs('member', method, path, method === 'GET' ? {} : { body: {} })
  return [status, json?.code]
}

/** Entries of the audit log, newest first. */
export async function auditLogs(filters: Record<string, string>): Promise<AuditLog[]> {
  const answer = await asAdmin('GET', `/api/audit-logs?${new URLSearchParams(filters)}`)
  if (answer.status !== 200) throw new Error(`no audit log: ${answer.status} ${answer.text}`)
  return AuditLogList.parse(answer.json).data
}
