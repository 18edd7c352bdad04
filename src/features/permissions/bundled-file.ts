// The permission file that the Worker was built with. Node cannot import this module.

/// <reference path="./text-module.d.ts" />
import text from '../../../build/permissions.txt'
import { type ParsedFile, parsePermissionFile } from './language/parse.ts'

export const BUNDLED_FILE_TEXT: string = text

let parsed: ParsedFile | undefined

/** Parsed on the first call, once for each isolate. A test sees to it that the file has no errors. */
export function bundledFile(): ParsedFile {
  parsed ??= parsePermissionFile(BUNDLED_FILE_TEXT)
  return parsed
}
