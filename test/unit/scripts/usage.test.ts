// The programs of the command line say how they are used, to whoever asks and to whoever mistypes.

import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'

const PROGRAMS = 'backup backup-verify restore branch upgrade migrate create-key types-database adopt'.split(
  ' ',
)

interface Outcome {
  code: number
  stdout: string
  stderr: string
}

/** Without a database: what is wrong with the arguments is said before anybody looks for one. */
function run(program: string, ...args: string[]): Promise<Outcome> {
  return runWith({}, program, ...args)
}

function runWith(env: NodeJS.ProcessEnv, program: string, ...args: string[]): Promise<Outcome> {
  const file = new URL(`../../../cli/${program}.ts`, import.meta.url).pathname
  return new Promise(done => {
    const child = execFile(process.execPath, [file, ...args], { cwd: tmpdir(), env }, (_, stdout, stderr) =>
      done({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

it('says how each program is used', async () => {
  for (const program of PROGRAMS) {
    const script = program.replace(/-(verify|database)/, ':$1')
    const usage = expect.stringMatching(new RegExp(`^usage: .*npm run ${script} -- .*\\n$`))
    expect(await run(program, '--help')).toEqual({ code: 0, stdout: usage, stderr: '' })
  }
})

it('says it behind what is wrong with the arguments', async () => {
  const wrong: [problem: string, program: string, ...args: string[]][] = [
    ["Unknown option '--too'\nusage: npm run backup ", 'backup', '--too', 'x'],
    ["Unknown option '--yess'\nusage: npm run branch ", 'branch', '--yess'],
    ['--to names no folder\nusage: npm run backup ', 'backup', '--to', ''],
    ['--to names no folder\nusage: npm run upgrade ', 'upgrade', '--to='],
    ['usage: npm run adopt -- supabase', 'adopt', 'firebase'],
    ['usage: npm run backup:verify ', 'backup-verify', 'one', 'two'],
    ['DATABASE_URL is not set: it names the empty database', 'restore', 'folder'],
  ]
  for (const [problem, program, ...args] of wrong) {
    const { code, stderr } = await run(program, ...args)
    expect(stderr).toContain(`quoin: ${problem}`)
    expect(code).toBe(1)
  }
})

it('says what is wrong with DATABASE_URL, and never shows its password', async () => {
  const urls = [
    ['postgres://owner:se cret@host:port/quoin', 'DATABASE_URL is no connection string'],
    ['postgres://owner:secret@127.0.0.1:1/quoin', 'does the database that DATABASE_URL names run?'],
  ]
  for (const [DATABASE_URL, problem] of urls) {
    const { code, stderr } = await runWith({ DATABASE_URL }, 'create-key', '--role', 'anon', '--name', 'x')
    expect(stderr).toContain(problem)
    expect(stderr).not.toContain('cret')
    expect(code).toBe(1)
  }
})
