import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROJECT_DIR } from '../../../cli/support/project.ts'

// What `npm run dev` and the other programs are: Node, with this loaded before. Rebuilding packages that are not there
// would lead nowhere.
test('a program on a clone without packages says in one line that `npm start` installs them', () => {
  const clone = mkdtempSync(join(tmpdir(), 'quoin-clone-'))
  const run = () => {
    const args = ['--import', './scripts/check-node.mjs', '--eval', 'console.log("runs")']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: clone, encoding: 'utf8' })
    return { status, stdout, stderr }
  }
  cpSync(join(PROJECT_DIR, 'scripts/check-node.mjs'), join(clone, 'scripts/check-node.mjs'))
  expect(run()).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^quoin: the packages are not installed: `npm start` .*\n$/),
  })
  mkdirSync(join(clone, 'node_modules'))
  expect(run()).toEqual({ status: 0, stdout: 'runs\n', stderr: '' })
  rmSync(clone, { recursive: true })
})

// `npm ci` empties the folder first: what runs from it would end.
test('`npm start` installs nothing while a stack or the tests of the same folder run', () => {
  const clone = mkdtempSync(join(tmpdir(), 'quoin-clone-'))
  const write = (path: string, text: string) => writeFileSync(join(clone, path), text)
  for (const folder of ['scripts', 'node_modules', '.quoin']) mkdirSync(join(clone, folder))
  cpSync(join(PROJECT_DIR, 'scripts/run.mjs'), join(clone, 'scripts/run.mjs'))
  write('scripts/check-node.mjs', '')
  write('package.json', '{ "name": "clone", "scripts": { "hello": "echo hello" } }')
  write('package-lock.json', '{ "name": "clone", "lockfileVersion": 3, "packages": {} }')
  write('node_modules/.package-lock.json', '{}')
  utimesSync(join(clone, 'node_modules/.package-lock.json'), 0, 0)
  const run = (env: NodeJS.ProcessEnv) =>
    spawnSync(process.execPath, ['scripts/run.mjs', 'hello'], { cwd: clone, encoding: 'utf8', env }).stdout
  const { VITEST, ...outside } = process.env
  const passedOver = expect.stringMatching(/^quoin: the packages are older .*nothing is installed\nhello\n$/)
  expect(run({ ...outside, VITEST })).toEqual(passedOver)
  write('.quoin/lock.owner', `${process.pid}\n`)
  expect(run(outside)).toEqual(passedOver)
  write('.quoin/lock.owner', '4194305\n')
  expect(run(outside)).toMatch(/^quoin: installing the packages/)
  rmSync(clone, { recursive: true })
})
