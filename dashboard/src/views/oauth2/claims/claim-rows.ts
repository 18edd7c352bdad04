// The rows of the editor: between the maps that the server keeps and what somebody types. Pure.

export const MAPS = ['id_token_claims', 'access_token_claims'] as const
export type MapName = (typeof MAPS)[number]

export interface ClaimRow {
  /** Tells rows apart while their names change. */
  key: string
  name: string
  template: string
}

export type Rows = Readonly<Record<MapName, readonly ClaimRow[]>>
type Config = Record<MapName, Record<string, string>>

export function rowsOf(config: Readonly<Config>): Rows {
  const rows = (map: MapName) =>
    Object.entries(config[map]).map(([name, template]) => ({ key: `${map} ${name}`, name, template }))
  return { id_token_claims: rows('id_token_claims'), access_token_claims: rows('access_token_claims') }
}

/** Rows without a name are not there yet. */
export function configOf(rows: Rows): Config {
  const map = (name: MapName) =>
    Object.fromEntries(rows[name].filter(row => row.name !== '').map(row => [row.name, row.template]))
  return { id_token_claims: map('id_token_claims'), access_token_claims: map('access_token_claims') }
}

/** What is wrong without asking anybody, by the row's key: it would be lost without a word. */
export function ownProblems(rows: Rows): ReadonlyMap<string, string> {
  const problems = new Map<string, string>()
  for (const map of MAPS) {
    const names = new Set<string>()
    for (const { key, name, template } of rows[map]) {
      if (name === '' && template !== '') problems.set(key, 'A claim needs a name.')
      if (name !== '' && names.has(name)) problems.set(key, 'This claim already exists.')
      names.add(name)
    }
  }
  return problems
}

/** The server's complaint, as `body.id_token_claims.sub: the server sets this itself.`, by the row it is about. */
export function serverProblems(
  rows: Rows,
  message: string,
  detail: string | null,
): ReadonlyMap<string, string> {
  const complaints = [message, ...(detail ?? '').split(/; (?=body\.)/)]
  const problems = new Map<string, string>()
  for (const map of MAPS) {
    for (const { key, name } of rows[map]) {
      const place = `body.${map}.${name}: `
      const complaint = complaints.find(text => name !== '' && text.startsWith(place))
      if (complaint === undefined) continue
      const words = complaint.slice(place.length)
      problems.set(key, words.charAt(0).toUpperCase() + words.slice(1))
    }
  }
  return problems
}

/** The paths of a template that lead to nothing for the person of the preview. */
export function unresolvedIn(template: string, unresolved: readonly string[]): string[] {
  const paths = [...template.matchAll(/\{\{([^{}]*)\}\}/g)].map(([, path = '']) => path.trim())
  return [...new Set(paths)].filter(path => unresolved.includes(path))
}
