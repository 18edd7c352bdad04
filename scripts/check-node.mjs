// Loaded before each Node program of this project (`node --import ./scripts/check-node.mjs`), and by run.mjs: says in
// one line what to do when there are no packages, or this Node is too old. Must run on Node 20, hence plain JavaScript.

import { existsSync } from 'node:fs'

/** The first Node that runs TypeScript as it is. */
const MINIMUM = [22, 18]

if (!existsSync(new URL('../node_modules', import.meta.url))) {
  fail(
    'the packages are not installed: `npm start` installs them and starts everything, `npm ci` installs them only',
  )
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < MINIMUM[0] || (major === MINIMUM[0] && minor < MINIMUM[1])) {
  fail(
    `this is Node ${process.versions.node}, ${MINIMUM.join('.')} or newer is needed: ` +
      'run it through npm (`npm start`, `npm run ...`), ' +
      'which takes Node 24 from node_modules. If this is npm already: after `npm ci --omit=dev` install a ' +
      'newer Node, else its install scripts were skipped: `npm rebuild node`',
  )
}

/**
 * @param {string} line
 * @returns {never}
 */
function fail(line) {
  process.stderr.write(`quoin: ${line}\n`)
  process.exit(1)
}
