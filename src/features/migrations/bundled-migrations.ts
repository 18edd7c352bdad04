// The migrations that the Worker was built with. Node reads the folder itself (cli/migration-folder.ts).

/// <reference path="./migrations-module.d.ts" />
import { files, platformNames, readAt } from '../../../build/migrations.mjs'
import type { BundledMigrations } from './migration-file.ts'

export const bundledMigrations: BundledMigrations = { files, platformNames, readAt }
