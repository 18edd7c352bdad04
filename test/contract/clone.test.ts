// The README's calls, pasted into a shell as they are. They take addresses and keys from `.quoin/dev.json`: so they
// work on a stack with any ports.

import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, it } from 'vitest'
import { writeDevFile } from '../../local/dev-file.ts'
import { PROJECT_DIR } from '../../local/project.ts'

/** A call that is refused fails the script; each answer ends with a NUL. */
const STRICT = 'set -e; curl() { command curl --silent --show-error --fail-with-body "$@"; printf "\\0"; }'

function callsOf(page: string): string {
  const text = readFileSync(join(PROJECT_DIR, page), 'utf8')
  const blocks = Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) => block)
  return blocks.filter(block => block.includes('curl ')).join('\n')
}

it.skipIf(spawnSync('curl', ['--version']).error !== undefined)(
  'has calls that work on any ports, in the order in which they stand',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quoin-readme-'))
    mkdirSync(join(folder, '.quoin'))
    writeDevFile(join(folder, '.quoin'), inject('stack'))
    const script = `${STRICT}\n${callsOf('README.md')}`
    const { stdout } = await promisify(execFile)('sh', ['-c', script], { cwd: folder })
    rmSync(folder, { recursive: true })
    const answers = stdout
      .split('\0')
      .slice(0, -1)
      .map(text => JSON.parse(text))
    expect(answers).toMatchObject([
      expect.arrayContaining([{ id: expect.any(Number), title: expect.any(String) }]),
      [{ title: 'Write the second endpoint' }],
      { command: 'SELECT', rowCount: 1 },
      { client_name: 'Notes', client_id: expect.any(String) },
      { name: 'My receiver', id: expect.any(String) },
      { imported: 2 },
      { allowed: true },
      { complete: true, matrix: { alice: { editor: true, view: true } } },
    ])
    const [, , , client, webhook] = answers
    const { base_url: url, session_cookie_admin: cookie } = inject('stack')
    for (const path of [`oauthsrv/clients/${client.client_id}`, `webhooks/${webhook.id}`])
      await fetch(`${url}/api/${path}`, { method: 'DELETE', headers: { cookie: cookie ?? '' } })
    await fetch(`${url}/api/permsrv/relation-tuples/batch-delete`, {
      method: 'POST',
      headers: { cookie: cookie ?? '', 'content-type': 'application/json' },
      body: JSON.stringify({
        tuples: ['Project:site#editor@Organization:club#member', 'Organization:club#member@alice'],
      }),
    })
  },
)
