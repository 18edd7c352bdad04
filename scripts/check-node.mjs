// Loaded before each Node program of this project (`node --import ./scripts/check-node.mjs`), and by run.mjs: says in
// one line what to do when this Node is too old. Must run on Node 20, hence plain JavaScript.

/** The first Node that runs TypeScript as it is. */
const MINIMUM = [22, 18]

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < MINIMUM[0] || (major === MINIMUM[0] && minor < MINIMUM[1])) {
  process.stderr.write(
    `quoin: this is Node ${process.versions.node}, ${MINIMUM.join('.')} or newer is needed: ` +
      'run it through npm (`npm start`, `npm run ...`), ' +
      'which takes Node 24 from node_modules. If this is npm already: after `npm ci --omit=dev` install a ' +
      'newer Node, else its install scripts were skipped: `npm rebuild node`\n',
  )
  process.exit(1)
}
