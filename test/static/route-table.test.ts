// The laws of the route table: what every endpoint must keep to, whoever adds it.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROJECT_DIR } from '../../cli/support/project.ts'
import { isAudited } from '../../src/features/gateway/access-rules.ts'
import type { AuthLevel } from '../../src/http/admission/principal.ts'
import { isPathOf } from '../../src/http/path-pattern.ts'
import { endpointName, endpointsOf } from '../../src/http/route.ts'
import { allRoutes } from '../../src/routes/index.ts'
import { SPECIFIED_ENDPOINTS } from '../support/specified-endpoints.ts'

const endpoints = endpointsOf(allRoutes)
/** `/v1/keys/:id` and `/v1/keys/:key_id` are the same place. */
const shape = (path: string) => path.replace(/:\w+/g, ':')
const surfaceOf = (path: string) =>
  /^\/(v1|api|internal|storage\/v1|rest\/v1|realtime\/v1)\//.exec(path)?.[1] ?? 'none'

/** A new surface, or a new level, says here who may call what. */
const LEVELS_OF: Readonly<Record<string, readonly AuthLevel[]>> = {
  v1: ['any_key', 'service_role'],
  'realtime/v1': ['any_key'],
  'rest/v1': ['any_key'],
  api: ['visitor', 'session', 'admin'],
  internal: ['internal'],
  'storage/v1': ['any_key', 'service_role', 'public'],
  none: ['none'],
}

/** What needs no key: files of public buckets, and addresses whose signature is checked by the route. */
const PUBLIC = [
  /^GET \/object\/(info\/)?public\//,
  /^GET \/object\/sign\//,
  /^PUT \/object\/upload\/sign\//,
  /^GET \/render\/image\/(public|sign)\//,
  /^[A-Z]+ \/upload\/resumable\/sign(\/|$)/,
  // What TUS asks before it sends anything.
  /^OPTIONS \/upload\/resumable(\/|$)/,
  /^GET \/(status|version)$/,
]

describe('the route table', () => {
  it('has every endpoint of the specification that is built so far', () => {
    const present = new Set(endpoints.map(endpoint => shape(endpointName(endpoint))))
    const missing = SPECIFIED_ENDPOINTS.filter(endpoint => !present.has(shape(endpoint)))
    expect(missing).toEqual([])
  })

  it('has no id, no method with path and no surface of a route twice', () => {
    const keys = [
      allRoutes.map(route => route.id),
      endpoints.map(endpoint => shape(endpointName(endpoint))),
      // Clients of others may look for one thing in several places.
      endpoints
        .filter(({ path }) => !path.startsWith('/storage/v1/'))
        .map(({ route, path }) => `${route.id} at ${surfaceOf(path)}`),
    ]
    for (const key of keys) expect(key.filter((value, index) => key.indexOf(value) !== index)).toEqual([])
  })

  it('names each route <noun>.<verb>', () => {
    for (const { id } of allRoutes) expect(id).toMatch(/^[a-z_]+\.[a-z_]+$/)
  })

  it('gives each surface its own kind of credential', () => {
    for (const endpoint of endpoints)
      expect(LEVELS_OF[surfaceOf(endpoint.path)], endpointName(endpoint)).toContain(endpoint.level)
  })

  it('lets nobody in without a key but to public and signed files', () => {
    const open = endpoints
      .filter(({ level }) => level === 'public')
      .map(({ route, path }) => `${route.method.toUpperCase()} ${path.replace(/^\/storage\/v1/, '')}`)
    expect(open.filter(name => !PUBLIC.some(pattern => pattern.test(name)))).toEqual([])
  })

  it('has `:name{.+}` at the end of a path alone', () => {
    const broken = endpoints.filter(({ path }) => /[{}]/.test(path.replace(/:\w+\{\.\+\}$/, '')))
    expect(broken.map(endpointName)).toEqual([])
  })

  it('calls the parameters of a path alike at each mount', () => {
    for (const { id, mounts } of allRoutes) {
      const names = Object.keys(mounts).map(path => path.match(/:\w+/g)?.join() ?? '')
      expect(new Set(names).size, id).toBe(1)
    }
  })

  it('takes no body with GET', () => {
    for (const { id, method, body } of allRoutes) if (method === 'get') expect(body, id).toBeUndefined()
  })

  // Hono tries routes in order: `/v1/db/:table` before `/v1/db/views` would swallow it.
  it('has no literal path shadowed by an earlier parameter', () => {
    const shadowed = endpoints.filter((endpoint, index) =>
      endpoints
        .slice(0, index)
        .some(
          ({ route, path }) =>
            route.method === endpoint.route.method && isPathOf(path, endpoint.path.split('/')),
        ),
    )
    expect(shadowed.map(endpointName)).toEqual([])
  })
})

/** Everything that a person may change, and whatever else is not a program's own data. */
const accountable = allRoutes.filter(route => endpointsOf([route]).some(isAudited))

// An audit row needs the caller, and nothing else does: a handler that hands the caller on leaves a row.
describe('the audit log', () => {
  it('has a row of every change: the handler hands on who calls', () => {
    const silent = accountable.filter(({ handle }) => !/\bcaller\b/.test(String(handle)))
    expect(silent.map(({ id }) => id)).toEqual([])
  })

  it('has a row of every change: whatever takes a caller writes one', () => {
    const files = execFileSync(
      'git',
      ['grep', '-l', 'caller: Caller', '--', 'src/features', ':!src/features/audit'],
      {
        cwd: PROJECT_DIR,
        encoding: 'utf8',
      },
    )
    const silent = files
      .trim()
      .split('\n')
      .filter(file => !/\baudited\(/.test(readFileSync(join(PROJECT_DIR, file), 'utf8')))
    expect(silent).toEqual([])
  })

  it('is passed over by GET and by routes that say why alone', () => {
    const reads = allRoutes.filter(({ method, unaudited }) => method === 'get' && unaudited !== undefined)
    expect(reads.map(({ id }) => id)).toEqual([])
  })
})
