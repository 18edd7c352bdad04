// One Chromium for all browser tests, as Vitest's global setup of their project: each file connects to it, and opens
// contexts of its own.

import { type Browser, chromium } from 'playwright-core'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { startBrowserServer } from './browser.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the tests' Chromium listens. */
    browserEndpoint: string
  }
}

/** The tests' Chromium. Closing it ends this connection and its contexts, not the browser. */
export function connectBrowser(): Promise<Browser> {
  return chromium.connect(inject('browserEndpoint'))
}

// Vitest takes the setup from the default export.
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startBrowserServer()
  project.provide('browserEndpoint', server.wsEndpoint())
  return () => server.close()
}
