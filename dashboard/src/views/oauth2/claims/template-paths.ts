// Which paths a template may use, and how one that is being typed is completed. Pure.

/** For whoever may not see anybody's data. */
const USUAL_PATHS = ['id', 'traits.email', 'traits.name', 'metadata_public.role']
const PATHS_MAX = 100
const DEPTH_MAX = 5

interface Source {
  traits: Readonly<Record<string, unknown>>
  metadata_public: Readonly<Record<string, unknown>>
}

/** Every path of a person's data; the usual ones where it is not known. */
export function pathsOf(source: Source | null | undefined): string[] {
  if (!source) return USUAL_PATHS
  const { traits, metadata_public } = source
  const found = [...below(traits, 'traits', 1), ...below(metadata_public, 'metadata_public', 1)]
  return ['id', ...found].slice(0, PATHS_MAX)
}

/** A list is a path by itself, an object is one too, and so is what is in it. */
function below(value: Readonly<Record<string, unknown>>, path: string, depth: number): string[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    // Braces cannot stand in a path, the others in quotes.
    if (/[{}]/.test(name) || inner === null) return []
    const here = /^[^\s[\].]+$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`
    const isObject = typeof inner === 'object' && !Array.isArray(inner)
    const inside =
      isObject && depth < DEPTH_MAX ? below(inner as Record<string, unknown>, here, depth + 1) : []
    return [here, ...inside]
  })
}

export interface Completion {
  path: string
  /** The whole template with the path in it. */
  template: string
}

/** For an empty template, or one whose last `{{` is open. */
export function completionsOf(template: string, paths: readonly string[]): Completion[] {
  const at = template.lastIndexOf('{{')
  const isOpen = at >= 0 && !template.includes('}', at)
  if (!isOpen && template !== '') return []
  const [head, typed] = isOpen ? [template.slice(0, at), template.slice(at + 2).trim()] : ['', '']
  return paths.filter(path => path.includes(typed)).map(path => ({ path, template: `${head}{{${path}}}` }))
}
