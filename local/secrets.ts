// What the local stack makes once and must know again: passwords, keys that its servers sign and encrypt with, and
// the two API keys. Kept in `secrets.json`, readable by its owner alone; `--reset` makes new ones.

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { StackError } from '../cli/support/output.ts'
import { writePrivateFile } from '../cli/support/private-file.ts'
import { generateKey } from '../src/features/api-keys/record/key-format.ts'

const Secrets = z.object({
  superuser_password: z.string().min(1),
  owner_password: z.string().min(1),
  authenticator_password: z.string().min(1),
  anon_key: z.string().min(1),
  service_role_key: z.string().min(1),
  oauth_database_password: z.string().min(1),
  oauth_system_secret: z.string().min(1),
  oauth_pairwise_salt: z.string().min(1),
  identity_database_password: z.string().min(1),
  identity_cookie_secret: z.string().min(1),
  permission_database_password: z.string().min(1),
  permission_admin_token: z.string().min(1),
  permission_page_token_secret: z.string().min(1),
  admin_password: z.string().min(1),
  user_password: z.string().min(1),
  ingest_secret: z.string().min(1),
  secrets_key: z.string().min(1),
  storage_signing_key: z.string().min(1),
})
export type Secrets = z.infer<typeof Secrets>

/** Reads the secrets, or makes them on the first start. Throws a `StackError` when the file cannot be understood. */
export function loadSecrets(dataDir: string): Secrets {
  const file = secretsFile(dataDir)
  if (!existsSync(file)) {
    const made = makeSecrets()
    writePrivateFile(file, JSON.stringify(made, undefined, 2))
    return made
  }
  const known = readKnown(file)
  const parsed = Secrets.safeParse({ ...makeSecrets(), ...known })
  if (!parsed.success) throw damaged(file)
  // A folder of an earlier version lacks what its servers did not need yet.
  if (Object.keys(parsed.data).some(name => !(name in known)))
    writePrivateFile(file, JSON.stringify(parsed.data, undefined, 2))
  return parsed.data
}

function readKnown(file: string): object {
  const text = readFileSync(file, 'utf8')
  try {
    return z.looseObject({}).parse(JSON.parse(text))
  } catch {
    throw damaged(file)
  }
}

function damaged(file: string): StackError {
  return new StackError(`${file} is damaged: start over with --reset`)
}

/** The secrets with these API keys instead; written only when something changes. */
export function replaceKeys(
  dataDir: string,
  secrets: Secrets,
  keys: Pick<Secrets, 'anon_key' | 'service_role_key'>,
): Secrets {
  const replaced = { ...secrets, ...keys }
  const isSame = keys.anon_key === secrets.anon_key && keys.service_role_key === secrets.service_role_key
  if (!isSame) writePrivateFile(secretsFile(dataDir), JSON.stringify(replaced, undefined, 2))
  return replaced
}

function secretsFile(dataDir: string): string {
  return join(dataDir, 'secrets.json')
}

function makeSecrets(): Secrets {
  return {
    superuser_password: makePassword(),
    owner_password: makePassword(),
    authenticator_password: makePassword(),
    anon_key: generateKey('anon'),
    service_role_key: generateKey('service_role'),
    oauth_database_password: makePassword(),
    oauth_system_secret: makePassword(),
    oauth_pairwise_salt: makePassword(),
    identity_database_password: makePassword(),
    identity_cookie_secret: makePassword(),
    permission_database_password: makePassword(),
    permission_admin_token: makePassword(),
    permission_page_token_secret: makePassword(),
    admin_password: makePassword(),
    user_password: makePassword(),
    ingest_secret: randomBytes(32).toString('base64url'),
    secrets_key: randomBytes(32).toString('base64'),
    storage_signing_key: randomBytes(32).toString('base64'),
  }
}

/** Letters, digits, `-` and `_`: needs no escaping in a URL, an env file or SQL. */
function makePassword(): string {
  return randomBytes(24).toString('base64url')
}
