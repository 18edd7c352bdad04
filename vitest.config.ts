import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

/** Tests that start a stack or a Worker of their own: that may take two minutes on a busy machine. */
const patient = { testTimeout: 180_000, hookTimeout: 180_000 }
/** Files that leave nothing behind in their process: the next file goes on in it, with what it has loaded. */
const pure = { isolate: false }

// From the fastest to the most real. CONTRIBUTING.md says which proves what.
export default defineConfig({
  test: {
    globalSetup: ['test/support/run-folder.ts', 'test/support/stack.ts'],
    // More than processors: most tests wait most of the time, for what they started or for time to pass.
    maxWorkers: 3,
    // Vitest's own deadlines (1 s, 5 s, 10 s) are over before a busy machine is; `expect` is for `expect.poll`.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // The stack has half a minute to end.
    teardownTimeout: 120_000,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/hostile/pure/**/*.test.ts'],
          ...pure,
        },
      },
      { test: { name: 'static', include: ['test/static/**/*.test.ts'], ...pure } },
      {
        test: {
          name: 'gateway',
          include: ['test/gateway/**/*.test.ts', 'test/hostile/gateway/**/*.test.ts'],
        },
      },
      { test: { name: 'listener', include: ['test/listener/**/*.test.ts'], testTimeout: 60_000 } },
      { test: { name: 'worker', include: ['test/worker/**/*.test.ts'], ...patient } },
      {
        plugins: [
          cloudflareTest(({ inject }) => {
            const stack = inject('stack')
            return {
              main: './src/worker.ts',
              wrangler: { configPath: './wrangler.toml' },
              miniflare: {
                bindings: {
                  DATABASE_URL: stack.database_url,
                  DATA_DATABASE_URL: stack.data_database_url,
                  SQL_GATEWAY_URL: stack.sql_gateway_url ?? '',
                  SECRETS_KEY: 'dGVzdHMgZW5jcnlwdCB3aXRoIHRoaXMga2V5IG9ubHk=',
                  ALLOW_PRIVATE_WEBHOOK_TARGETS: 'true',
                },
              },
            }
          }),
        ],
        test: { name: 'objects', include: ['test/objects/**/*.test.ts'], ...patient },
      },
      {
        test: {
          name: 'contract',
          include: ['test/contract/**/*.test.ts', 'test/hostile/*.test.ts'],
          ...pure,
          ...patient,
        },
      },
      { test: { name: 'chaos', include: ['test/chaos/**/*.test.ts'] } },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/support/shared-browser.ts'],
          ...pure,
          ...patient,
        },
      },
      {
        // Behind all others: what the product does is known first.
        test: {
          name: 'stand-ins',
          include: ['stand-ins/test/**/*.test.ts'],
          sequence: { groupOrder: 1 },
          ...pure,
          ...patient,
        },
      },
    ],
  },
})
