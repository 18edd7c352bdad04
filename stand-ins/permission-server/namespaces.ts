// The namespaces of the permission file, which is read again when it changed. A file that cannot be read or has errors
// leaves those of before in force.

import { readFile, stat } from 'node:fs/promises'
import type { Group, PermissionFile, Rewrite } from '../../src/features/permissions/language/ast.ts'
import { parsePermissionFile } from '../../src/features/permissions/language/parse.ts'
import { badRequest, WireError } from '../service/wire-error.ts'
import { noSubject, type SubjectSet, type Tuple, type TupleFilter } from './tuple.ts'

/** What a permit says; undefined for a relation. */
type Meaning = Group | undefined

export class Namespaces {
  readonly names: readonly string[]
  readonly #meanings: ReadonlyMap<string, ReadonlyMap<string, Meaning>>
  readonly #nearby = new Map<string, readonly string[]>()

  constructor({ namespaces }: PermissionFile) {
    this.names = namespaces.map(({ name }) => name)
    this.#meanings = new Map(
      namespaces.map(({ name, relations, permits }) => [
        name,
        new Map<string, Meaning>([
          ...permits.map(permit => [permit.name, permit.rewrite] as const),
          ...relations.map(relation => [relation.name, undefined] as const),
        ]),
      ]),
    )
  }

  /** Throws the 404 of a namespace that is not there. */
  require(name: string): void {
    if (this.#meanings.has(name)) return
    throw new WireError(404, { reason: `Unknown namespace with name ${JSON.stringify(name)}.` })
  }

  /** The namespaces of a tuple and of its subject set; in between, the 400 of a tuple without a subject. */
  requireOf({ namespace, subject_id, subject_set }: Tuple): void {
    this.require(namespace)
    if (subject_id !== undefined) return
    if (subject_set === undefined) throw noSubject()
    this.require(subject_set.namespace)
  }

  requireOfFilter({ namespace, subject_set }: TupleFilter): void {
    if (namespace !== undefined) this.require(namespace)
    if (subject_set !== undefined) this.require(subject_set.namespace)
  }

  /**
   * The permit that the set's relation is, undefined for a plain relation; throws the 400 of one that is not declared.
   * An empty one, and any of a namespace that declares none or is not there, is a plain relation.
   */
  permitOf({ namespace, relation }: SubjectSet): Meaning {
    const declared = this.#meanings.get(namespace)
    if (relation === '' || declared === undefined || declared.size === 0) return undefined
    if (!declared.has(relation)) throw badRequest(`relation ${JSON.stringify(relation)} does not exist`)
    return declared.get(relation)
  }

  /** All relations of the same object that a check of this one may look at, itself among them. */
  nearby({ namespace, relation }: SubjectSet): readonly string[] {
    const declared = this.#meanings.get(namespace)
    if (!declared?.has(relation)) return [relation]
    const key = JSON.stringify([namespace, relation])
    const known = this.#nearby.get(key) ?? reachable(relation, declared)
    this.#nearby.set(key, known)
    return known
  }
}

function reachable(relation: string, declared: ReadonlyMap<string, Meaning>): readonly string[] {
  const found = new Set([relation])
  for (const name of found) {
    const open: Rewrite[] = []
    const meaning = declared.get(name)
    if (meaning !== undefined) open.push(meaning)
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next.kind === 'relation' || next.kind === 'traverse') found.add(next.relation)
      else if (next.kind === 'not') open.push(next.child)
      else open.push(...next.children)
    }
  }
  return [...found]
}

export interface NamespaceFile {
  /** Those in force; one look at the file's time when nothing changed. */
  current(): Promise<Namespaces>
}

/** Reads the file; rejects when that fails or it has errors. */
export async function openNamespaceFile(path: string): Promise<NamespaceFile> {
  let stamp = await stampOf(path)
  let inForce = readNamespaces(path)
  await inForce
  return {
    async current() {
      const found = await stampOf(path)
      if (found !== stamp) {
        stamp = found
        const before = inForce
        inForce = readNamespaces(path).catch((err: Error) => {
          console.error(`the permission file is not taken over: ${err.message}`)
          return before
        })
      }
      return inForce
    },
  }
}

async function readNamespaces(path: string): Promise<Namespaces> {
  const { file, errors } = parsePermissionFile(await readFile(path, 'utf8'))
  const [first] = errors
  if (first === undefined) return new Namespaces(file)
  throw new Error(`${path}:${first.start.line}:${first.start.column}: ${first.message}`)
}

/** Changes whenever the file does; a file that is not there has one too. */
async function stampOf(path: string): Promise<string> {
  try {
    const { mtimeNs, size, ino } = await stat(path, { bigint: true })
    return `${mtimeNs} ${size} ${ino}`
  } catch {
    return 'none'
  }
}
