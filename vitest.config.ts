import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

/** Vitest's own deadlines (1 s, 5 s, 10 s) are over before a busy machine is; `expect` is for `expect.poll`. */
const patient = { expect: { poll: { timeout: 15_000 } }, testTimeout: 30_000, hookTimeout: 60_000 }

/**
 * What takes a real stack: started once per project by test/support/stack.ts. A start may take two minutes, those of a
 * test of its own too.
 */
const onStack = {
  ...patient,
  globalSetup: ['test/support/stack.ts'],
  testTimeout: 180_000,
  hookTimeout: 180_000,
}

// From the fastest to the most real. CONTRIBUTING.md says which proves what.
export default defineConfig({
  test: {
    globalSetup: ['test/support/run-folder.ts'],
    // A stack has half a minute to end, and each project ends its own.
    teardownTimeout: 120_000,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/hostile/pure/**/*.test.ts'],
          ...patient,
        },
      },
      { test: { name: 'static', include: ['test/static/**/*.test.ts'], ...patient } },
      {
        test: {
          name: 'gateway',
          include: ['test/gateway/**/*.test.ts', 'test/hostile/gateway/**/*.test.ts'],
          ...patient,
        },
      },
      {
        test: {
          name: 'listener',
          include: ['test/listener/**/*.test.ts'],
          // Each file runs a Postgres of its own.
          fileParallelism: false,
          ...patient,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'worker',
          include: ['test/worker/**/*.test.ts'],
          // Each file builds and serves a Worker of its own: side by side they only wait for each other.
          fileParallelism: false,
          ...onStack,
        },
      },
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
        test: { name: 'objects', include: ['test/objects/**/*.test.ts'], ...onStack },
      },
      {
        test: {
          name: 'contract',
          include: ['test/contract/**/*.test.ts', 'test/hostile/*.test.ts'],
          ...onStack,
        },
      },
      { test: { name: 'chaos', include: ['test/chaos/**/*.test.ts'], ...patient } },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          // Each file runs a Chromium of its own, which takes what memory and processors there are.
          fileParallelism: false,
          ...onStack,
        },
      },
    ],
  },
})
