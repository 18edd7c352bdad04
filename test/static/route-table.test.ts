// The laws of the route table: what every endpoint must keep to, whoever adds it.

import { describe, expect, it } from 'vitest'
import { AUTH_LEVELS } from '../../src/http/auth.ts'
import { allRoutes } from '../../src/routes/index.ts'
import { SPECIFIED_ENDPOINTS } from '../support/specified-endpoints.ts'

const name = ({ method, path }: { method: string; path: string }) => `${method.toUpperCase()} ${path}`
/** `/v1/keys/:id` and `/v1/keys/:key_id` are the same place. */
const shape = (path: string) => path.replace(/:\w+/g, ':')

describe('the route table', () => {
  it('has every endpoint of the specification that is built so far', () => {
    const present = new Set(allRoutes.map(route => `${route.method.toUpperCase()} ${shape(route.path)}`))
    const missing = SPECIFIED_ENDPOINTS.filter(endpoint => !present.has(shape(endpoint)))
    expect(missing).toEqual([])
  })

  it('has no id and no method with path twice', () => {
    for (const key of [allRoutes.map(route => route.id), allRoutes.map(route => name(route))]) {
      expect(key.filter((value, index) => key.indexOf(value) !== index)).toEqual([])
    }
  })

  it('names each route <feature>.<verb>', () => {
    for (const { id } of allRoutes) expect(id).toMatch(/^[a-z_]+\.[a-z_]+$/)
  })

  it('gives each surface its own kind of credential', () => {
    for (const route of allRoutes) {
      expect(AUTH_LEVELS, name(route)).toContain(route.auth)
      if (route.path.startsWith('/v1/'))
        expect(['any_key', 'service_role'], name(route)).toContain(route.auth)
      if (route.path.startsWith('/api/'))
        expect(['none', 'session', 'admin'], name(route)).toContain(route.auth)
      expect(route.auth === 'internal', name(route)).toBe(route.path.startsWith('/internal/'))
    }
  })

  it('takes no body with GET', () => {
    for (const route of allRoutes) if (route.method === 'get') expect(route.body, name(route)).toBeUndefined()
  })

  // Hono tries routes in order: `/v1/db/:table` before `/v1/db/views` would swallow it.
  it('has no literal path shadowed by an earlier parameter', () => {
    const shadowed = allRoutes.filter((route, index) =>
      allRoutes
        .slice(0, index)
        .some(earlier => earlier.method === route.method && covers(earlier.path, route.path)),
    )
    expect(shadowed.map(name)).toEqual([])
  })
})

function covers(pattern: string, path: string): boolean {
  const [left, right] = [pattern.split('/'), path.split('/')]
  return left.length === right.length && left.every((part, i) => part.startsWith(':') || part === right[i])
}
