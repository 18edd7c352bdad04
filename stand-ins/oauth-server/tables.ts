// All tables of the OAuth2 server, in the order in which they are made: what refers to another comes after it. Each
// area's definitions are beside its code and can be run again and again.

import { CLIENT_TABLES } from './clients/client-tables.ts'
import { KEY_TABLES } from './keys/key-tables.ts'
import { SESSION_TABLES } from './sessions/session-tables.ts'
import { TOKEN_TABLES } from './tokens/token-tables.ts'

export const TABLES: readonly string[] = [CLIENT_TABLES, KEY_TABLES, SESSION_TABLES, TOKEN_TABLES]
