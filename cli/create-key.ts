// `npm run create-key -- --role service_role --name first`: the first API key of a deployment, straight into the
// database that DATABASE_URL names. Every further one: POST /v1/keys. The key is printed once; only its hash is
// stored.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { storeApiKey } from './support/api-key.ts'
import { runCommand, UsageError } from './support/command.ts'
import { withOwner } from './support/owner-connection.ts'
import { ownerUrl, shownDatabase } from './support/owner-url.ts'

const USAGE = 'npm run create-key -- --role anon|service_role --name NAME'
const NAME_LENGTH_MAX = 100

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { role: { type: 'string' }, name: { type: 'string' } } })
  const { role, name } = values
  if (role !== 'anon' && role !== 'service_role') throw new UsageError()
  if (name === undefined || name === '' || name.length > NAME_LENGTH_MAX) throw new UsageError()
  const url = ownerUrl(process.env, resolve('.quoin'))
  process.stderr.write(`database: ${shownDatabase(url)}\n`)
  const stored = await withOwner(url, client => storeApiKey(client, { role, name }))
  // Nothing but the key on standard output, so that a script can take it from there.
  process.stderr.write(`${role} key "${name}", id ${stored.id}. It is shown this once:\n`)
  process.stdout.write(`${stored.key}\n`)
}

runCommand(USAGE, main)
