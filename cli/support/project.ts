// Where the project is, whatever folder it is started from.

import { resolve } from 'node:path'

export const PROJECT_DIR = resolve(import.meta.dirname, '../..')
