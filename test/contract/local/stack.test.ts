// `npm run dev` as its user meets it: what it prints works, it says in one line what is wrong, and whatever happens no
// process stays behind and no data is lost.

import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { devFilePath, readDevFile } from '../../../cli/support/dev-file.ts'
import { PROJECT_DIR } from '../../../cli/support/project.ts'
import { waitUntil } from '../../../cli/support/wait.ts'
import { isOfStack, listProcesses } from '../../../local/process-table.ts'
import { makeWithCluster } from '../../support/cluster.ts'
import { copyProject } from '../../support/project-copy.ts'
import { makeStackFolder, type RunningStack, spawnStack, startStack } from '../../support/stack.ts'

const run = promisify(execFile)

/** Folders of the test under way, removed with what still runs in them. */
const folders: string[] = []
const running: RunningStack[] = []

function newDataDir(): string {
  const folder = makeStackFolder()
  folders.push(folder)
  return join(folder, 'stack')
}

/** Where nothing is asked of how the data is made: a folder with an initialised cluster. */
async function newDataDirWithCluster(): Promise<string> {
  const dataDir = newDataDir()
  await makeWithCluster(dataDir)
  return dataDir
}

async function start(dataDir: string, settings = {}): Promise<RunningStack> {
  const stack = await startStack(dataDir, settings)
  running.push(stack)
  return stack
}

/** Processes that this stack started and that are still there. */
function survivors(dataDir: string): number[] {
  return listProcesses()
    .filter(entry => isOfStack(entry, dataDir))
    .map(entry => entry.pid)
}

async function expectNothingLeft(dataDir: string, ports: readonly number[]): Promise<void> {
  // Postgres' own children may need an instant after it.
  await waitUntil({ what: 'all processes end', deadlineMs: 30_000 }, async () =>
    survivors(dataDir).length === 0 ? true : undefined,
  )
  for (const port of ports) expect([port, await isListening(port)]).toEqual([port, false])
  expect(existsSync(devFilePath(dataDir))).toBe(false)
}

/** Ends it with this signal, before `stop` has to kill it; no process, port or facts are left behind. */
async function end(stack: RunningStack, signal: NodeJS.Signals): Promise<void> {
  // A terminal that is closed takes the output with it.
  if (signal === 'SIGHUP') for (const stream of [stack.child.stdout, stack.child.stderr]) stream?.destroy()
  expect([signal, await stack.stop(signal)]).toEqual([signal, 0])
  await expectNothingLeft(stack.dataDir, portsOf(stack))
}

/** The ports of a stack by the variables that set them. */
function portVariables({ facts }: RunningStack): Record<string, string> {
  const urls = {
    QUOIN_PORT: facts.base_url,
    QUOIN_GATEWAY_PORT: facts.sql_gateway_url,
    QUOIN_POSTGRES_PORT: facts.database_url,
    QUOIN_OAUTH_PUBLIC_PORT: facts.oauth_public_url,
    QUOIN_OAUTH_ADMIN_PORT: facts.oauth_admin_url,
    QUOIN_IDENTITY_PUBLIC_PORT: facts.identity_public_url,
    QUOIN_IDENTITY_ADMIN_PORT: facts.identity_admin_url,
    QUOIN_PERMISSION_READ_PORT: facts.permission_read_url,
    QUOIN_PERMISSION_WRITE_PORT: facts.permission_write_url,
    QUOIN_PERMISSION_SYNTAX_PORT: facts.permission_syntax_url,
    QUOIN_LISTENER_PORT: facts.listener_health_url,
    QUOIN_DASHBOARD_PORT: facts.dashboard_url,
  }
  return Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, new URL(url ?? '').port]))
}

/** Of what listens: the dashboard's port is only kept free for it. */
function portsOf(stack: RunningStack): number[] {
  const { QUOIN_DASHBOARD_PORT: _, ...listening } = portVariables(stack)
  return Object.values(listening).map(Number)
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const outcome = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false)
  socket.destroy()
  return outcome
}

/** Runs a stack that cannot start to its end. */
async function runToItsEnd(dataDir: string, settings: Parameters<typeof spawnStack>[1]) {
  const { child, output } = spawnStack(dataDir, settings)
  await once(child, 'close')
  return { code: child.exitCode, lines: output().trimEnd().split('\n') }
}

/** A stack is ready an instant before it says so. */
async function waitForCurlLines(stack: RunningStack): Promise<string[]> {
  return waitUntil({ what: 'three curl lines', deadlineMs: 30_000 }, async () => {
    const printed = stack.output().split('\n')
    const lines = printed.slice(0, -1).filter(line => line.startsWith('curl '))
    if (lines.length !== 3) throw new Error(`${lines.length} printed`)
    return lines
  })
}

/** Objects and relations of the relation tuples of a namespace. */
async function tuplesOf({ facts }: RunningStack, namespace: string): Promise<string[]> {
  const response = await fetch(`${facts.permission_read_url}/relation-tuples?namespace=${namespace}`)
  const { relation_tuples: tuples } = (await response.json()) as {
    relation_tuples: { object: string; relation: string }[]
  }
  return tuples.map(({ object, relation }) => `${object}#${relation}`).sort()
}

function deleteTuplesOf({ facts }: RunningStack, namespace: string): Promise<Response> {
  return fetch(`${facts.permission_write_url}/admin/relation-tuples?namespace=${namespace}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${facts.permission_admin_token}` },
  })
}

async function queryOwner(stack: RunningStack, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: stack.facts.database_url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

afterEach(async () => {
  for (const stack of running.splice(0)) {
    await stack.stop()
    // A test that fails half-way may leave what it killed a stack for.
    for (const pid of survivors(stack.dataDir)) killIfThere(pid)
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A process may end between being listed and being killed. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'ESRCH') throw err
  }
}

describe('a running stack', () => {
  const folder = makeStackFolder()
  const dataDir = join(folder, 'stack')
  let stack: RunningStack

  beforeAll(async () => {
    stack = await startStack(dataDir, { dashboard: true })
  })

  afterAll(async () => {
    await stack.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it.skipIf(spawnSync('curl', ['--version']).error !== undefined)(
    'prints three curl lines that work as they are',
    async () => {
      const lines = await waitForCurlLines(stack)
      const answers: unknown[] = []
      for (const line of lines) answers.push(JSON.parse((await run('sh', ['-c', line])).stdout))
      expect(answers).toEqual([
        [expect.objectContaining({ title: 'Written with curl', done: false, owner_id: null })],
        expect.arrayContaining([expect.objectContaining({ title: 'Written with curl' })]),
        expect.objectContaining({ rows: expect.arrayContaining([{ owner_id: 'alice', count: '1' }]) }),
      ])
    },
  )

  it('serves the dashboard at every address, under a policy that names its servers alone', async () => {
    const { dashboard_url: url, base_url, oauth_public_url, identity_public_url } = stack.facts
    const answer = await fetch(`${url}/some/view`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html'])
    const policy = answer.headers.get('content-security-policy')?.split('; ')
    expect(policy).toContain("script-src 'self'")
    const sockets = base_url.replace(/^http/, 'ws')
    const servers = `${base_url} ${oauth_public_url} ${identity_public_url} ${sockets}`
    expect(policy).toContain(`connect-src 'self' ${servers}`)
  })

  it('has permissions to look at: the user sees a project through the organization and another project', async () => {
    const { permission_read_url: url, user_identity_id: id } = stack.facts
    const isAllowed = async (relation: string, subject: string) => {
      const query = new URLSearchParams({
        namespace: 'Project',
        object: 'lunar-module',
        relation,
        subject_id: subject,
      })
      const response = await fetch(`${url}/relation-tuples/check/openapi?${query}`)
      return ((await response.json()) as { allowed: boolean }).allowed
    }
    expect(await isAllowed('view', id ?? '')).toBe(true)
    expect(await isAllowed('view', 'somebody')).toBe(false)
    expect(await isAllowed('edit', id ?? '')).toBe(false)
  })

  it('takes relation tuples from nobody without its token', async () => {
    const { permission_write_url: url, permission_admin_token: token } = stack.facts
    const statuses = [undefined, 'another', token].map(async bearer => {
      const headers = bearer === undefined ? undefined : { authorization: `Bearer ${bearer}` }
      const init = { method: 'PATCH', body: '[]', ...(headers && { headers }) }
      return (await fetch(`${url}/admin/relation-tuples`, init)).status
    })
    expect(await Promise.all(statuses)).toEqual([401, 401, 204])
  })

  it('keeps passwords and keys to its user', () => {
    for (const name of ['secrets.json', 'dev.json', 'worker.env', 'logs/worker.log']) {
      expect([name, statSync(join(dataDir, name)).mode & 0o077]).toEqual([name, 0])
    }
  })

  it('gives the owner what a hosted Postgres gives, and no superuser', async () => {
    const sql =
      'select rolsuper, rolcreatedb, rolcreaterole, rolbypassrls, rolreplication from pg_roles ' +
      'where rolname = current_user'
    expect(await queryOwner(stack, sql)).toEqual([
      { rolsuper: false, rolcreatedb: true, rolcreaterole: true, rolbypassrls: true, rolreplication: true },
    ])
  })

  it('refuses a second start in its folder in one line, and goes on', async () => {
    const second = await runToItsEnd(dataDir, {})
    expect(second).toEqual({
      code: 1,
      lines: [expect.stringContaining(`in use by process ${stack.facts.pids.main}`)],
    })
    expect((await fetch(`${stack.facts.base_url}/healthz`)).status).toBe(200)
    expect(readDevFile(dataDir)).toEqual(stack.facts)
  })

  it('serves another one as a Postgres that runs elsewhere, which then starts none of its own', async () => {
    const other = newDataDir()
    const { database_url: DATABASE_URL, data_database_url: DATA_DATABASE_URL } = stack.facts
    const second = await start(other, { env: { DATABASE_URL, DATA_DATABASE_URL } })
    expect(Object.keys(second.facts.pids)).toEqual(['main', 'gateway', 'worker', 'listener'])
    expect(second.facts).toMatchObject({
      database_url: DATABASE_URL,
      superuser_url: null,
      postgres_port: null,
      oauth_public_url: null,
      identity_public_url: null,
      permission_read_url: null,
      permission_admin_token: null,
    })
    expect(existsSync(join(other, 'postgres'))).toBe(false)
    const headers = { apikey: second.facts.service_role_key }
    expect((await fetch(`${stack.facts.base_url}/v1/status`, { headers })).status).toBe(200)
  })

  it('serves another one as its outside servers, whose tokens that one can flush', async () => {
    const { oauth_public_url, oauth_admin_url, oauth_database_url, session_cookie_admin } = stack.facts
    const { identity_public_url, identity_admin_url } = stack.facts
    const { permission_read_url, permission_write_url, permission_admin_token } = stack.facts
    const env = {
      OAUTH_PUBLIC_URL: oauth_public_url ?? '',
      OAUTH_ADMIN_URL: oauth_admin_url ?? '',
      OAUTH_DATABASE_URL: oauth_database_url ?? '',
      IDENTITY_PUBLIC_URL: identity_public_url ?? '',
      IDENTITY_ADMIN_URL: identity_admin_url ?? '',
      PERMISSION_READ_URL: permission_read_url ?? '',
      PERMISSION_WRITE_URL: permission_write_url ?? '',
      PERMISSION_ADMIN_TOKEN: permission_admin_token ?? '',
    }
    const second = await start(await newDataDirWithCluster(), { env })
    expect(Object.keys(second.facts.pids)).toEqual(['main', 'postgres', 'gateway', 'worker', 'listener'])
    expect(second.facts).toMatchObject({ oauth_public_url, oauth_database_url, identity_public_url })
    expect(second.facts).toMatchObject({
      permission_read_url,
      permission_admin_token,
      permission_syntax_url: null,
    })
    const flushed = await fetch(`${second.facts.base_url}/api/oauthsrv/flush`, {
      method: 'POST',
      headers: { cookie: session_cookie_admin ?? '' },
    })
    expect([flushed.status, await flushed.json()]).toEqual([
      200,
      expect.objectContaining({ source: 'database', complete: true }),
    ])
  })

  it('makes another one refuse its database in one line when an older Quoin made that', async () => {
    await queryOwner(stack, 'create database older')
    const url = new URL(stack.facts.database_url)
    url.pathname = '/older'
    const older = { ...stack, facts: { ...stack.facts, database_url: url.href } }
    await queryOwner(
      older,
      "create table public.pgmigrations as select '0001_create-roles-and-schema'::varchar as name",
    )
    const env = { DATABASE_URL: url.href, DATA_DATABASE_URL: url.href }
    expect(await runToItsEnd(newDataDir(), { args: ['--quiet'], env })).toEqual({
      code: 1,
      lines: [expect.stringMatching('older Quoin.*npm run dev -- --reset')],
    })
  })

  it('makes another one say which port is taken and what to do', async () => {
    const taken = portVariables(stack)
    const free = Object.fromEntries(Object.keys(portVariables(stack)).map((name, i) => [name, String(i + 1)]))
    for (const [variable, port] of Object.entries(taken)) {
      const other = newDataDir()
      const env = { ...free, [variable]: port }
      const says = variable === 'QUOIN_PORT' ? '--port or QUOIN_PORT' : variable
      const outcome = await runToItsEnd(other, { onOwnPorts: true, env })
      expect(outcome).toEqual({
        code: 1,
        lines: [expect.stringMatching(`port ${port}, .* is taken .*${says}`)],
      })
      expect(survivors(other)).toEqual([])
    }
  })
})

describe('the end', () => {
  // The scripts begin with `exec`: else a signal to npm ends npm and its shell, and everything below lives on.
  it('reaches everything when npm alone is told to end', async () => {
    const dataDir = await newDataDirWithCluster()
    const npm = spawn('npm', ['start', '--', '--free-ports', '--data-dir', dataDir], {
      cwd: PROJECT_DIR,
      stdio: 'ignore',
    })
    const ended = once(npm, 'exit')
    await waitUntil({ what: 'the stack is ready', deadlineMs: 120_000 }, async () =>
      existsSync(devFilePath(dataDir)) ? true : undefined,
    )
    npm.kill('SIGTERM')
    await ended
    await expectNothingLeft(dataDir, [])
  })

  it('comes at once when Ctrl-C is pressed again, though a child hangs', async () => {
    const dataDir = await newDataDirWithCluster()
    const stack = await start(dataDir)
    process.kill(stack.facts.pids.gateway ?? 0, 'SIGSTOP')
    // A second signal right after the first is taken for its echo: npm passes on what the terminal sends as well.
    const pressing = setInterval(() => stack.child.kill('SIGINT'), 100)
    await once(stack.child, 'exit')
    clearInterval(pressing)
    // In order it would be 0, once the child's eight seconds are over.
    expect(stack.child.exitCode).toBe(1)
    await expectNothingLeft(dataDir, portsOf(stack))
  })

  it('comes during the start too', async () => {
    const dataDir = await newDataDirWithCluster()
    const { child, output } = spawnStack(dataDir)
    await waitUntil(
      { what: 'the Worker is starting', deadlineMs: 120_000 },
      async () => output().includes('wrangler') || undefined,
    )
    child.kill('SIGINT')
    await once(child, 'exit')
    expect(child.exitCode).toBe(0)
    await expectNothingLeft(dataDir, [])
  })

  it.each(['gateway', 'postgres'])('comes with the name and the log of the %s when that dies', async name => {
    const dataDir = await newDataDirWithCluster()
    const stack = await start(dataDir)
    process.kill(stack.facts.pids[name] ?? 0, 'SIGKILL')
    await once(stack.child, 'close')
    expect(stack.child.exitCode).toBe(1)
    expect(stack.output()).toMatch(
      new RegExp(`quoin: ${name} ended by SIGKILL; the last lines of .*${name}.log`),
    )
    await expectNothingLeft(dataDir, portsOf(stack))
  })
})

describe('the next start', () => {
  it('has the data, the keys and the ports of a stack that was killed, and ends what that left running', async () => {
    const dataDir = await newDataDirWithCluster()
    const first = await start(dataDir)
    await queryOwner(first, "insert into public.todos (title) values ('survives')")
    await first.stop('SIGKILL')
    expect(survivors(dataDir).length).toBeGreaterThan(0)
    const ports = portsOf(first)
    const second = await start(dataDir, { onOwnPorts: true, env: portVariables(first) })
    expect(second.output()).toMatch(/ended what an earlier start had left behind: .*postgres/)
    expect(portsOf(second)).toEqual(ports)
    expect(second.facts.anon_key).toBe(first.facts.anon_key)
    expect(await queryOwner(second, "select title from public.todos where title = 'survives'")).toHaveLength(
      1,
    )
  })

  it('has the ports, keys and data as before after each signal, no new seeds, and all anew with --reset', async () => {
    const dataDir = await newDataDirWithCluster()
    const first = await start(dataDir)
    await queryOwner(first, "insert into public.todos (title) values ('gone')")
    const tuples = await tuplesOf(first, 'Organization')
    expect(tuples).toEqual(['acme#admin', 'acme#member', 'acme#member'])
    await queryOwner(
      first,
      "update quoin.api_keys set revoked_at = now(), version = version + 1 where role = 'anon'",
    )
    await end(first, 'SIGINT')
    const second = await start(dataDir)
    expect(portVariables(second)).toEqual(portVariables(first))
    expect(second.facts.anon_key).not.toBe(first.facts.anon_key)
    expect(second.facts.service_role_key).toBe(first.facts.service_role_key)
    expect(await tuplesOf(second, 'Organization')).toEqual(tuples)
    expect((await deleteTuplesOf(second, 'Organization')).status).toBe(204)
    await end(second, 'SIGTERM')
    const later = await start(dataDir)
    expect(await tuplesOf(later, 'Organization')).toEqual([])
    await end(later, 'SIGHUP')
    const third = await start(dataDir, { args: ['--reset'] })
    expect(portVariables(third)).toEqual(portVariables(first))
    expect(third.facts.service_role_key).not.toBe(first.facts.service_role_key)
    expect(await queryOwner(third, "select title from public.todos where title = 'gone'")).toEqual([])
    expect(await tuplesOf(third, 'Organization')).toEqual(tuples)
  })
})

describe('a start that cannot be', () => {
  it('deletes nothing with --reset where a port is taken', async () => {
    const dataDir = await newDataDirWithCluster()
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const settings = { args: ['--reset'], onOwnPorts: true, env: { QUOIN_PORT: String(port) } }
    const outcome = await runToItsEnd(dataDir, settings)
    server.close()
    expect(outcome).toEqual({ code: 1, lines: [expect.stringContaining(`port ${port}, `)] })
    for (const kept of ['secrets.json', 'postgres/PG_VERSION'])
      expect([kept, existsSync(join(dataDir, kept))]).toEqual([kept, true])
  })

  // A write to /dev/full fails as one to a full disk does.
  it.each(['lock.owner', 'secrets.json.partial', 'worker.env.partial'])(
    'says in one line that the disk is full, when that shows at %s',
    async name => {
      const dataDir = await newDataDirWithCluster()
      symlinkSync('/dev/full', join(dataDir, name))
      if (name === 'secrets.json.partial') rmSync(join(dataDir, 'secrets.json'))
      const outcome = await runToItsEnd(dataDir, { args: ['--quiet'] })
      expect(outcome).toEqual({
        code: 1,
        lines: [expect.stringMatching(`^quoin: the disk is full \\(.*\\): make room for ${dataDir}`)],
      })
      expect(survivors(dataDir)).toEqual([])
    },
  )
})

describe('an ordinary user', () => {
  const nobody = { uid: idOf('-u'), gid: idOf('-g') }
  const isPossible = process.getuid?.() === 0 && Number.isInteger(nobody.uid) && canEnterProject(nobody)

  // Otherwise every other test here runs as an ordinary user already, or there is none to become.
  it.skipIf(!isPossible)('runs the stack from a folder of their own', async () => {
    const dataDir = newDataDir()
    const project = join(dataDir, '..', 'project')
    copyProject(project)
    const home = join(dataDir, '..', 'home')
    mkdirSync(home)
    for (const folder of [project, home, join(dataDir, '..')]) chownSync(folder, nobody.uid, nobody.gid)
    const stack = await start(dataDir, { cwd: project, user: nobody, env: { HOME: home } })
    expect(statSync(join(dataDir, 'postgres')).uid).toBe(nobody.uid)
    const headers = { apikey: stack.facts.service_role_key }
    expect((await fetch(`${stack.facts.base_url}/v1/status`, { headers })).status).toBe(200)
    expect(await stack.stop()).toBe(0)
    await expectNothingLeft(dataDir, portsOf(stack))
  })

  // As after `sudo npm start`: all of the folder is root's, or what this user gave back is not.
  it.skipIf(!isPossible).each([
    ['a folder above', [], ''],
    ['the folder', [], 'stack'],
    ['the lock', ['.', 'logs'], 'stack/lock'],
    ['the file of secrets', ['.', 'logs', 'lock'], 'stack/secrets.json'],
    ['Postgres’ data', ['.', 'logs', 'lock', 'secrets.json'], 'stack/postgres'],
  ])('is told in one line that %s belongs to somebody else', async (_, given, named) => {
    const dataDir = await newDataDirWithCluster()
    const above = join(dataDir, '..')
    if (named === '') chmodSync(above, 0o700)
    mkdirSync(join(dataDir, 'logs'))
    writeFileSync(join(dataDir, 'lock'), '')
    if (named === 'stack') rmSync(join(dataDir, 'lock'))
    for (const name of given) chownSync(join(dataDir, name), nobody.uid, nobody.gid)
    const outcome = await runToItsEnd(dataDir, { args: ['--quiet'], user: nobody })
    const says = `^quoin: ${join(above, named)} belongs to user \\d+, .* user ${nobody.uid}\\b.* --data-dir$`
    expect(outcome).toEqual({ code: 1, lines: [expect.stringMatching(says)] })
  })
})

function idOf(flag: string): number {
  return Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout || Number.NaN)
}

function canEnterProject(user: { uid: number; gid: number }): boolean {
  return spawnSync(process.execPath, ['--version'], { ...user, cwd: PROJECT_DIR }).status === 0
}
