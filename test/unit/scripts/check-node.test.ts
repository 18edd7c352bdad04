import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROJECT_DIR } from '../../../local/project.ts'

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
