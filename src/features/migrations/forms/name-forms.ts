// Which files of a folder are one migration, by their names: tools that keep what is applied and what takes it back in
// two files. Pure.

/** A migration as its names say. */
export interface NamedMigration {
  /** As people call it: the file's name, of a pair the name that both halves have in common. */
  readonly name: string
  /** As the tracking table has it. */
  readonly recordedAs: string
  readonly file: string
  /** The file that takes it back. */
  readonly downFile?: string
  /** Its name says that another file takes it back, also where that is not there. */
  readonly isUpHalf?: true
  /** Records of a version that took each half for a migration: of this one, and of what took it back. */
  readonly formerNames?: readonly string[]
  readonly undoNames?: readonly string[]
  /** Why its name is refused, as the end of a sentence. */
  readonly problem?: string
}

interface DownName {
  readonly down: RegExp
  /** Whether this is the name of the half that is applied; `parts` are what `down` found. */
  readonly up: (parts: readonly string[], name: string) => boolean
}

const DOWN_NAMES: readonly DownName[] = [
  // golang-migrate, sqlx, Bun, db-migrate, yoyo: x.up.sql and x.down.sql, or x.sql and x.rollback.sql.
  {
    down: /^(.+)([._-])(?:down|undo|rollback|revert)\.sql$/i,
    up: ([stem = '', dot = ''], name) => isOneOf(name, [`${stem}${dot}up.sql`, `${stem}.sql`]),
  },
  // Postgrator: 1.do.x.sql and 1.undo.x.sql.
  {
    down: /^(\d+)\.undo\.(.+)$/i,
    up: ([number = '', rest = ''], name) => isOneOf(name, [`${number}.do.${rest}`]),
  },
  // Flyway: V1__x.sql and U1__y.sql. To refinery a U alone is a migration like others.
  {
    down: /^U(\d[\d._]*?)__.*\.sql$/i,
    up: ([version = ''], name) => isOneOf(/^.*?__/.exec(name)?.[0] ?? '', [`V${version}__`]),
  },
]

/** Names of halves whose other half carries the word in front. */
const OTHER_DOWN_NAME = /^(?:down|undo|rollback|revert)[._-].*\.sql$/i
/** Flyway runs these beside the migrations, or in place of them. */
const CALLBACK = /^(?:before|after)[A-Z]\w*\.sql$/
const BASELINE = /^B\d[\d._]*__.*\.sql$/

const UP_NAME = /^(.+)([._-])up\.sql$/i

/** The migrations that files of these names are; none is left out. */
export function readNames(files: readonly string[]): NamedMigration[] {
  const ups = new Map<string, string>()
  const alone = new Set<string>()
  for (const file of files) {
    const up = downNameOf(file, files)
    if (up === undefined) continue
    if (up === null || ups.has(up)) alone.add(file)
    else ups.set(up, file)
  }
  const halves = new Set(ups.values())
  return files.filter(file => !halves.has(file)).map(file => namedAs(file, ups.get(file), alone.has(file)))
}

/** The name without the ending, as node-pg-migrate remembers a file. */
export function withoutEnding(name: string): string {
  return name.replace(/\.[^.]*$/, '')
}

/** The half that is applied, of a file that takes it back: null where there is none. Undefined for other files. */
function downNameOf(file: string, files: readonly string[]): string | null | undefined {
  const named = DOWN_NAMES.flatMap(({ down, up }) => {
    const [, ...parts] = down.exec(file) ?? []
    return parts.length === 0 ? [] : [files.find(name => up(parts, name))]
  })
  if (named.length === 0 && !OTHER_DOWN_NAME.test(file)) return undefined
  return named.find(name => name !== undefined) ?? null
}

function namedAs(file: string, downFile: string | undefined, isHalf: boolean): NamedMigration {
  const [, stem, separator] = UP_NAME.exec(file) ?? []
  const own = { name: file, recordedAs: withoutEnding(file), file }
  const problem = isHalf ? HALF : CALLBACK.test(file) ? CALLED_BACK : BASELINE.test(file) ? BASE : undefined
  if (problem !== undefined) return { ...own, problem }
  const down = downFile === undefined ? {} : { downFile, undoNames: [withoutEnding(downFile)] }
  // A name may end so without being half of anything.
  if (stem === undefined || (separator !== '.' && downFile === undefined)) return { ...own, ...down }
  return { name: stem, recordedAs: stem, file, isUpHalf: true, formerNames: [own.recordedAs], ...down }
}

const HALF = 'is named as what takes a migration back, and the file is not there that it takes back'
const CALLED_BACK = 'is named as a callback of Flyway, which runs it at each migration'
const BASE = 'is named as a baseline of Flyway, which stands for the migrations before it'

/** Tools differ in whether case counts; two files that differ in nothing else are no two migrations. */
function isOneOf(name: string, wanted: readonly string[]): boolean {
  return wanted.some(it => it.toLowerCase() === name.toLowerCase())
}
