// The language of claim templates: text with `{{path}}` in it. Pure: parses, and looks values up in an identity; never
// reaches anything that is not the identity's own data.

/** A template in its parts: fixed text, and paths as their segments. */
export type Template = readonly TemplatePart[]
export type TemplatePart = string | TemplatePath

/** A path such as `traits.name.first`; `segments` begin with its root. */
export interface TemplatePath {
  readonly text: string
  readonly segments: readonly string[]
}

/** A template that cannot be read: what is wrong, as the end of a sentence about the template. */
export class TemplateError extends Error {
  override name = 'TemplateError'
}

/** Parses a template. Throws `TemplateError`. A brace outside of a `{{path}}` is a slip: nobody means `{id}`. */
export function parseTemplate(text: string): Template {
  const parts: TemplatePart[] = []
  let at = 0
  for (const match of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
    pushText(parts, text.slice(at, match.index))
    parts.push(parsePath(match[1] ?? ''))
    at = match.index + match[0].length
  }
  pushText(parts, text.slice(at))
  return parts
}

function pushText(parts: TemplatePart[], text: string): void {
  if (/[{}]/.test(text))
    throw new TemplateError('has a brace that belongs to no path: paths are written {{path}}')
  if (text !== '') parts.push(text)
}

/** What a path may begin with (Spec, Claims configuration); of the first two only a part, never the whole. */
const OBJECT_ROOTS: ReadonlySet<string> = new Set(['traits', 'metadata_public'])
/** Names that reach out of the data and into the language, on whatever object they are asked for. */
const LANGUAGE_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * `traits.groups[0]` and `traits.groups.0` are the same path. A key with a dot, a bracket or a space in it is written
 * as JSON writes it, in brackets: `traits["employee.id"]`.
 */
function parsePath(inside: string): TemplatePath {
  const text = inside.trim()
  const segments = segmentsOf(text)
  if (segments === undefined) {
    throw new TemplateError(`has a path that cannot be read: {{${text.slice(0, 100)}}}`)
  }
  if (segments.some(segment => LANGUAGE_NAMES.has(segment))) {
    throw new TemplateError(`has a path with a name that is not allowed: {{${text.slice(0, 100)}}}`)
  }
  const [root = ''] = segments
  const isKnown = root === 'id' ? segments.length === 1 : OBJECT_ROOTS.has(root) && segments.length > 1
  if (!isKnown) {
    throw new TemplateError(
      `has {{${text.slice(0, 100)}}}, but paths are traits.<name>, metadata_public.<name> and id`,
    )
  }
  return { text, segments }
}

const SEGMENT = /\.(?<name>[^\s.[\]]{1,100})|\[(?<index>\d{1,4})\]|\[(?<quoted>"(?:[^"\\]|\\.){0,100}")\]/y

/** Undefined for what is no path. */
function segmentsOf(text: string): string[] | undefined {
  const path = `.${text}`
  const segments: string[] = []
  for (let at = 0; at < path.length; ) {
    SEGMENT.lastIndex = at
    const match = SEGMENT.exec(path)
    const { name, index, quoted } = match?.groups ?? {}
    const segment = name ?? index ?? (quoted === undefined ? undefined : readKey(quoted))
    if (match === null || segment === undefined) return undefined
    segments.push(segment)
    at += match[0].length
  }
  return segments
}

/** Undefined where JSON does not read it, such as for an escape that it does not know. */
function readKey(quoted: string): string | undefined {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return undefined
  }
}

/** What templates are resolved against. */
export interface TemplateSource {
  readonly id: string
  readonly traits: Readonly<Record<string, unknown>>
  readonly metadata_public: Readonly<Record<string, unknown>>
}

/** A template's value; or the paths that lead to nothing, in their order; or a text that got too long to be made. */
export type Resolved =
  | { outcome: 'value'; value: unknown }
  | { outcome: 'unresolved'; paths: string[] }
  | { outcome: 'too_large' }

/**
 * Resolves a template. One that is exactly one path gives the value in its JSON type; in mixed text, objects and arrays
 * are written as JSON, up to `lengthMax` characters in all. `null` counts as nothing: a claim without a value is left
 * out (OpenID Connect Core 5.3.2).
 */
export function resolveTemplate(template: Template, source: TemplateSource, lengthMax: number): Resolved {
  const values = template.map(part => (typeof part === 'string' ? part : lookUp(part, source)))
  const paths = template.flatMap((part, i) =>
    typeof part !== 'string' && values[i] === undefined ? [part.text] : [],
  )
  if (paths.length > 0) return { outcome: 'unresolved', paths }
  if (template.length === 1) return { outcome: 'value', value: values[0] }
  let text = ''
  for (const value of values) {
    text += asText(value)
    if (text.length > lengthMax) return { outcome: 'too_large' }
  }
  return { outcome: 'value', value: text }
}

function lookUp({ segments }: TemplatePath, { id, traits, metadata_public }: TemplateSource): unknown {
  let value: unknown = { id, traits, metadata_public }
  for (const segment of segments) {
    // Own properties only: `traits.toString` is nothing, as is the length of a text or an array.
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined
    if (Array.isArray(value) && !/^\d+$/.test(segment)) return undefined
    value = (value as Record<string, unknown>)[segment]
  }
  return value ?? undefined
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
