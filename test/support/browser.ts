// Real Chromium for tests: the one that comes inside an npm package on Linux x64, elsewhere an installed Chrome or
// Chromium. QUOIN_CHROME names another. Started once a suite; each test opens a context of its own.

import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import bundledChromium, { inflate } from '@sparticuz/chromium'
import { type Browser, type BrowserServer, chromium, type LaunchOptions } from 'playwright-core'
import { PROJECT_DIR } from '../../cli/support/project.ts'

/** Where the binary is unpacked, once; a new version of the package has a folder of its own. */
const CACHE_DIR = join(PROJECT_DIR, 'node_modules', '.cache', 'quoin-chromium')

const INSTALLED = [
  '/usr/bin/google-chrome',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** A browser without a window. Whoever starts it closes it. */
export function startBrowser(): Promise<Browser> {
  return withChromium(options => chromium.launch(options))
}

/** The same as a server, for several who connect to it. */
export function startBrowserServer(): Promise<BrowserServer> {
  return withChromium(options => chromium.launchServer(options))
}

async function withChromium<Started>(start: (options: LaunchOptions) => Promise<Started>): Promise<Started> {
  const { executablePath, libraries } = await locateChromium()
  const options = {
    executablePath,
    headless: true,
    // Chromium's sandbox cannot be had as root, nor in most containers; the pages under test are our own.
    chromiumSandbox: false,
    args: ['--disable-dev-shm-usage', '--disable-gpu'],
  }
  try {
    return await start({ ...options, env: process.env })
  } catch (err) {
    const lacksLibraries = /error while loading shared libraries/.test(String(err))
    if (libraries === undefined || !lacksLibraries) throw err
    return await start({ ...options, env: { ...process.env, LD_LIBRARY_PATH: libraries } })
  }
}

interface Located {
  executablePath: string
  /** Shared libraries that a bare Linux lacks and Chromium needs. */
  libraries: string | undefined
}

async function locateChromium(): Promise<Located> {
  const chosen = process.env['QUOIN_CHROME']
  if (chosen !== undefined) return { executablePath: chosen, libraries: undefined }
  if (process.platform === 'linux' && process.arch === 'x64') return await unpackBundled()
  const executablePath = INSTALLED.find(existsSync)
  if (executablePath === undefined)
    throw new Error('no Chrome or Chromium is installed here: install one, or name it in QUOIN_CHROME')
  return { executablePath, libraries: undefined }
}

async function unpackBundled(): Promise<Located> {
  const folder = join(CACHE_DIR, packageVersion())
  if (!existsSync(folder)) await unpackInto(folder)
  return { executablePath: join(folder, 'chromium'), libraries: join(folder, 'al2023', 'lib') }
}

/** Unpacked beside its place and moved there whole, so that a run that was killed leaves no half of it. */
async function unpackInto(folder: string): Promise<void> {
  mkdirSync(CACHE_DIR, { recursive: true })
  const unfinished = mkdtempSync(join(CACHE_DIR, 'unfinished-'))
  const temporary = process.env['TMPDIR']
  // The package unpacks into the folder for temporary files, wherever that is.
  process.env['TMPDIR'] = unfinished
  try {
    bundledChromium.setGraphicsMode = false
    await bundledChromium.executablePath()
    await inflate(join(packageFolder(), 'bin', 'al2023.tar.br'))
    if (!existsSync(folder)) renameSync(unfinished, folder)
  } finally {
    if (temporary === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = temporary
    rmSync(unfinished, { recursive: true, force: true })
  }
}

function packageFolder(): string {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  return join(entry, '..', '..')
}

function packageVersion(): string {
  const { version } = createRequire(import.meta.url)(join(packageFolder(), 'package.json'))
  return String(version)
}
