// Which database a script works on.

import { readDevFile } from './dev-file.ts'

/**
 * DATABASE_URL, else the owner's connection string of the local stack that runs in this folder; throws when there is
 * neither.
 */
export function ownerUrl(env: NodeJS.ProcessEnv, stackDir: string): string {
  if (env.DATABASE_URL) return env.DATABASE_URL
  try {
    return readDevFile(stackDir).database_url
  } catch {
    throw new Error(
      'DATABASE_URL is not set and no local stack is running in .quoin: start `npm run dev`, or set it to the ' +
        'connection string of the database owner (`database_url` in FOLDER/dev.json of a stack with --data-dir FOLDER)',
    )
  }
}

/**
 * `host:port/database`: what a script says of where it works. A shell that lost its DATABASE_URL falls back on the
 * local stack. Throws for what is no connection string, without the text, in which there may be a password.
 */
export function shownDatabase(url: string): string {
  if (!URL.canParse(url)) {
    throw new Error(
      'DATABASE_URL is no connection string: write postgres://OWNER:PASSWORD@HOST/DATABASE, and in the password ' +
        'what is special in a URL by its code, as %40 for @',
    )
  }
  const { host, pathname } = new URL(url)
  return host + pathname
}
