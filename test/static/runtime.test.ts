// One runtime for everything: with another version of Miniflare beside wrangler's, a second workerd is installed.

import { expect, it } from 'vitest'
import wrangler from 'wrangler/package.json' with { type: 'json' }
import ours from '../../package.json' with { type: 'json' }

it('has the Miniflare that wrangler brings', () => {
  expect(ours.devDependencies.miniflare).toBe(wrangler.dependencies.miniflare)
})
