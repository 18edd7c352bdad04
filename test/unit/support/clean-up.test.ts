import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const CLEANER = resolve(import.meta.dirname, '../../support/clean-up.ts')

// Stops: Postgres and Workers that live on for days because the run that started them was killed.
it('ends what runs from the folder of a run that is gone, and nothing before', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gone-'))
  const dataDir = join(folder, 'stack')
  mkdirSync(dataDir)
  writeFileSync(join(dataDir, 'data'), '')
  const waiting = ['-e', 'setInterval(() => {}, 1000)']
  const child = spawn(process.execPath, waiting, { cwd: dataDir, detached: true, stdio: 'ignore' })
  const other = spawn(process.execPath, waiting, { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const cleaner = spawn(process.execPath, [CLEANER, folder], { stdio: ['pipe', 'ignore', 'inherit'] })
  const cleaned = once(cleaner, 'exit')
  expect(child.exitCode).toBeNull()
  cleaner.stdin.end()
  expect([await ended, await cleaned]).toEqual([
    [null, 'SIGINT'],
    [0, null],
  ])
  expect(existsSync(folder)).toBe(false)
  expect(other.exitCode).toBeNull()
  other.kill()
})
