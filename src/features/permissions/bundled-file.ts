// The permission file that the Worker was built with. Node cannot import this module.

/// <reference path="./text-module.d.ts" />
import text from '../../../build/permissions.txt'
import { Declarations } from './declarations.ts'
import { parsePermissionFile } from './language/parse.ts'
import type { BundledPermissions } from './permission-deps.ts'

let declarations: Declarations | undefined

export const bundledPermissions: BundledPermissions = {
  text,
  /** Parsed once for each isolate. The build has refused a file with errors. */
  get declarations() {
    declarations ??= new Declarations(parsePermissionFile(text).file)
    return declarations
  },
}
