// `npm start` and `npm test`: installs the packages if they are missing or older than package-lock.json, then goes on
// as `npm run <script> -- <args>`. Needs nothing but the Node and npm of the machine, so: no packages, no TypeScript.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT_DIR = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const NODE_MINIMUM_MAJOR = 20
const PROGRESS_INTERVAL_MS = 5_000
const FAILURE_LINES = 15
/** npm run's own shell would put this folder first too; the check below must see the same Node. */
const BIN_DIR = join(PROJECT_DIR, 'node_modules', '.bin')
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm'

async function main() {
  const [script, ...args] = process.argv.slice(2)
  if (script === undefined) fail('usage: node scripts/run.mjs <npm script> [arguments]')
  if (Number(process.versions.node.split('.')[0]) < NODE_MINIMUM_MAJOR) {
    fail(
      `this is Node ${process.versions.node}: install Node ${NODE_MINIMUM_MAJOR} or newer (https://nodejs.org)`,
    )
  }
  if (isInstallNeeded()) await install()
  else if (isOld()) say('the packages are older than package-lock.json, and in use: nothing is installed')
  checkInstalledNode()
  const passed = args.length === 0 ? [] : ['--', ...args]
  const outcome = await run(NPM, ['run', '--silent', script, ...passed], 'inherit')
  if (outcome.signal !== null) process.kill(process.pid, outcome.signal)
  process.exit(outcome.code ?? 1)
}

/** npm writes this file at the end of every install. */
const INSTALLED = join(PROJECT_DIR, 'node_modules', '.package-lock.json')

/** Where node_modules is a link it is another checkout's, which `npm ci` would empty. */
function isInstallNeeded() {
  if (lstatSync(join(PROJECT_DIR, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return false
  return !existsSync(INSTALLED) || (isOld() && !isInUse())
}

function isOld() {
  if (!existsSync(INSTALLED)) return false
  return statSync(INSTALLED).mtimeMs < statSync(join(PROJECT_DIR, 'package-lock.json')).mtimeMs
}

/** `npm ci` empties node_modules, under the feet of a stack of this folder and of tests that start one. */
function isInUse() {
  if (process.env.VITEST !== undefined) return true
  try {
    return process.kill(Number(readFileSync(join(PROJECT_DIR, '.quoin', 'lock.owner'), 'utf8')), 0)
  } catch {
    return false
  }
}

async function install() {
  const startedAt = Date.now()
  const seconds = () => `${Math.round((Date.now() - startedAt) / 1000)} s`
  say('installing the packages (npm ci; a minute or two the first time)')
  const timer = setInterval(() => say(`still installing, ${seconds()}`), PROGRESS_INTERVAL_MS)
  const outcome = await run(NPM, ['ci', '--no-audit', '--no-fund', '--loglevel=warn'], 'pipe')
  clearInterval(timer)
  if (outcome.code !== 0) {
    process.stderr.write(`${summariseFailure(outcome.text)}\n`)
    fail(`npm ci failed (${adviceFor(outcome.text)})`)
  }
  const summary = outcome.text.split('\n').find(line => line.startsWith('added ')) ?? 'packages installed'
  say(`${summary}`)
}

/**
 * npm says what is wrong first and how it is used last: the first lines of its error, without its other noise.
 * @param {string} text
 */
function summariseFailure(text) {
  const lines = text.trimEnd().split('\n')
  const errors = lines.filter(line => /^npm (error|ERR!) \S/.test(line))
  return (errors.length > 0 ? errors.slice(0, FAILURE_LINES) : lines.slice(-FAILURE_LINES)).join('\n')
}

/** @param {string} text what npm said */
function adviceFor(text) {
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|network/i.test(text))
    return 'is the package registry reachable? `npm ping`'
  if (/EACCES|EPERM/.test(text)) return 'may this user write here? the folder and ~/.npm must belong to it'
  if (/ENOSPC/.test(text)) return 'the disk is full'
  if (/EBADPLATFORM|EUSAGE/.test(text))
    return `is ${process.platform}-${process.arch} a system that the lock file knows? Linux x64 is tested`
  return 'its last lines stand above; `npm ci` shows all'
}

/** The npm package `node` gets its binary from an install script, which some machines forbid. */
function checkInstalledNode() {
  const env = { ...process.env, PATH: `${BIN_DIR}${delimiter}${process.env.PATH ?? ''}` }
  const checked = spawnSync('node', [join(PROJECT_DIR, 'scripts', 'check-node.mjs')], {
    env,
    stdio: 'inherit',
  })
  if (checked.status !== 0) process.exit(1)
}

/**
 * Runs a program to its end and passes on the signals that come meanwhile. A terminal sends Ctrl-C to all of its group
 * anyway; what is passed on as well is taken for the same one by the local stack.
 * @param {string} command
 * @param {string[]} args
 * @param {'inherit' | 'pipe'} output
 * @returns {Promise<{ code: number | null, signal: NodeJS.Signals | null, text: string }>}
 */
function run(command, args, output) {
  return new Promise((done, reject) => {
    const child = spawn(command, args, { cwd: PROJECT_DIR, stdio: ['inherit', output, output] })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', chunk => {
        text += chunk
      })
    }
    const signals = /** @type {NodeJS.Signals[]} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])
    const passOn = /** @param {NodeJS.Signals} signal */ signal => child.kill(signal)
    for (const signal of signals) process.on(signal, passOn)
    child.once('error', err =>
      reject(new Error(`${command} cannot be run (${err.message}): is npm installed?`)),
    )
    child.once('close', (code, signal) => {
      for (const name of signals) process.off(name, passOn)
      done({ code, signal, text })
    })
  })
}

/** @param {string} line */
function say(line) {
  process.stdout.write(`quoin: ${line}\n`)
}

/**
 * @param {string} line
 * @returns {never}
 */
function fail(line) {
  process.stderr.write(`quoin: ${line}\n`)
  process.exit(1)
}

main().catch(err => fail(err.message))
