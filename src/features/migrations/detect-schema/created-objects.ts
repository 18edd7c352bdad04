// What a statement creates, from its syntax tree. Pure. A database decides more than a text shows: what cannot be told
// is said to be so (`untold`), never guessed.

import { quoteIdentifier } from '../../../db/sql.ts'
import { DomainError } from '../../../errors.ts'
import { keptFields, type SyntaxNode } from '../../sql/syntax-tree.ts'

/** What of a tree is read here. */
export const CREATION_FIELDS = keptFields(
  'relation relname relpersistence schemaname into rel intoClause larg objtype idxname indexParams ' +
    'indexIncludingParams name funcname is_procedure parameters mode argType names typeName typevar domainname ' +
    'defnames kind sval args schemaElts authrole rolename',
  'pct_type arrayBounds',
)

/** A name and the schemas that it is looked for in, in order. */
export interface Sought {
  readonly schemas: readonly string[]
  readonly name: string
}

/** Equal ones of a text are one object. */
export interface ArgumentType extends Sought {
  readonly isArray: boolean
  /** Different for different ones. */
  readonly number: number
}

interface Creation {
  /** As shown to people. */
  readonly label: string
  readonly name: string
}

export type CreatedObject =
  | (Creation & { readonly type: 'table'; readonly schema: string })
  /** It is in the schema of its table. */
  | (Creation & { readonly type: 'index'; readonly table: Sought })
  /** `kinds`: values of pg_proc.prokind. */
  | (Creation & {
      readonly type: 'function'
      readonly schema: string
      readonly kinds: string
      readonly args: readonly ArgumentType[]
    })
  /** `kinds`: values of pg_type.typtype. */
  | (Creation & { readonly type: 'type'; readonly schema: string; readonly kinds: string })

export interface Creations {
  readonly objects: readonly CreatedObject[]
  /** Why an object that is created cannot be looked for. */
  readonly untold: readonly string[]
}

const NAME_BYTES_MAX = 63
/** Each name is looked for in each schema; nobody has so many. */
const PATH_SCHEMAS_MAX = 16
const TEMPORARY_SCHEMA = 'pg_temp'

/** Where types without a schema are looked for, and that as a text: a function may have thousands of arguments. */
interface TypePath {
  readonly schemas: readonly string[]
  readonly text: string
  /** The search path that it was made from. */
  readonly path: readonly string[]
}

/** Reads statements in their order: an earlier SET search_path or temporary table changes what a later one means. */
export class CreationReader {
  readonly #defaultPath: readonly string[]
  #path: readonly string[]
  #typePath: TypePath | undefined
  readonly #temporary = new Set<string>()
  readonly #types = new Map<string, ArgumentType>()
  #typesLength = 0
  #objects: CreatedObject[] = []
  #untold: string[] = []

  /** `searchPath`: schemas for names without one; the first is where they are created. */
  constructor(searchPath: readonly string[]) {
    this.#defaultPath = searchPath
    this.#path = searchPath
  }

  /** How many characters all types have that were read so far, with the schemas that they are looked for in. */
  get typesLength(): number {
    return this.#typesLength
  }

  /**
   * What the statement creates; nothing for all but tables, indexes, functions, procedures, types and domains. Throws
   * `payload_too_large` for a search path of more than 16 schemas.
   */
  read(statement: SyntaxNode): Creations {
    this.#objects = []
    this.#untold = []
    this.#read(statement)
    return { objects: this.#objects, untold: this.#untold }
  }

  #read(statement: SyntaxNode): void {
    const [kind, fields] = Object.entries(statement)[0] as [string, SyntaxNode]
    if (kind === 'CreateStmt') this.#addTable(node(fields, 'relation'))
    else if (kind === 'CreateTableAsStmt' && fields['objtype'] === 'OBJECT_TABLE')
      this.#addTable(node(node(fields, 'into'), 'rel'))
    else if (kind === 'SelectStmt') this.#addSelected(fields)
    else if (kind === 'IndexStmt') this.#addIndex(fields)
    else if (kind === 'CreateFunctionStmt') this.#addFunction(fields)
    else if (kind === 'CompositeTypeStmt') this.#addType(rangeName(node(fields, 'typevar')), 'c')
    else if (kind === 'CreateEnumStmt') this.#addType(strings(fields, 'typeName'), 'e')
    else if (kind === 'CreateRangeStmt') this.#addType(strings(fields, 'typeName'), 'r')
    else if (kind === 'CreateDomainStmt') this.#addType(strings(fields, 'domainname'), 'd')
    // 'p' is a type that is named and not defined yet.
    else if (kind === 'DefineStmt' && fields['kind'] === 'OBJECT_TYPE')
      this.#addType(strings(fields, 'defnames'), 'bp')
    else if (kind === 'CreateSchemaStmt') this.#addSchemaElements(fields)
    else if (kind === 'VariableSetStmt') this.#setPath(fields)
  }

  #addTable(relation: SyntaxNode): void {
    const written = this.#written(rangeName(relation))
    if (written.schema === TEMPORARY_SCHEMA || relation['relpersistence'] === 't')
      this.#temporary.add(written.name)
    else this.#objects.push({ type: 'table', ...written })
  }

  /** SELECT INTO; of a UNION the leftmost branch has it. */
  #addSelected(select: SyntaxNode): void {
    let branch = select
    while (branch['larg']) branch = node(branch, 'larg')
    if (branch['intoClause']) this.#addTable(node(node(branch, 'intoClause'), 'rel'))
  }

  #addIndex(fields: SyntaxNode): void {
    const [table = '', schema] = rangeName(node(fields, 'relation')).reverse()
    if (schema === TEMPORARY_SCHEMA || (schema === undefined && this.#temporary.has(table))) return
    const name = (fields['idxname'] as string | undefined) ?? chosenIndexName(table, fields)
    if (name === undefined) this.#untold.push('an index without a name, for which Postgres chooses one')
    else {
      const sought = { schemas: schema === undefined ? this.#path : [schema], name: table }
      this.#objects.push({ type: 'index', name, label: shown([name]), table: sought })
    }
  }

  #addFunction(fields: SyntaxNode): void {
    const { schema, name, label } = this.#written(strings(fields, 'funcname'))
    if (schema === TEMPORARY_SCHEMA) return
    const types = nodes(fields, 'parameters')
      .map(parameter => node(parameter, 'FunctionParameter'))
      .filter(({ mode }) => mode !== 'FUNC_PARAM_OUT' && mode !== 'FUNC_PARAM_TABLE')
      .map(parameter => node(parameter, 'argType'))
    if (types.some(type => type['pct_type'])) this.#untold.push(`${label}, which has an argument of %TYPE`)
    else {
      const kinds = fields['is_procedure'] ? 'p' : 'fw'
      const args = types.map(type => this.#argument(type))
      this.#objects.push({ type: 'function', schema, name, label, kinds, args })
    }
  }

  #argument(type: SyntaxNode): ArgumentType {
    const [name = '', schema] = strings(type, 'names').reverse()
    const isArray = 'arrayBounds' in type
    const { schemas, text } = schema === undefined ? this.#typeSchemas() : typePath([schema])
    const key = `${text} ${isArray} ${name}`
    const known = this.#types.get(key)
    if (known !== undefined) return known
    const added = { schemas, name, isArray, number: this.#types.size }
    this.#types.set(key, added)
    this.#typesLength += key.length
    return added
  }

  #typeSchemas(): TypePath {
    const path = this.#path
    if (this.#typePath?.path !== path) {
      const schemas = path.includes('pg_catalog') ? path : ['pg_catalog', ...path]
      this.#typePath = { ...typePath(schemas), path }
    }
    return this.#typePath
  }

  #addType(names: string[], kinds: string): void {
    const written = this.#written(names)
    if (written.schema !== TEMPORARY_SCHEMA) this.#objects.push({ type: 'type', ...written, kinds })
  }

  #addSchemaElements(fields: SyntaxNode): void {
    const elements = nodes(fields, 'schemaElts')
    if (elements.length === 0) return
    const schema = fields['schemaname'] ?? node(fields, 'authrole')['rolename']
    if (typeof schema !== 'string') {
      this.#untold.push('what is in a schema without a name')
      return
    }
    const path = this.#path
    this.#path = [schema, ...path]
    for (const element of elements) this.#read(element)
    this.#path = path
  }

  /** SET of any kind: where SET LOCAL ends is where the migration ends. */
  #setPath(fields: SyntaxNode): void {
    const isReset = fields['kind'] !== 'VAR_SET_VALUE'
    if (fields['kind'] === 'VAR_RESET_ALL' || (isReset && fields['name'] === 'search_path'))
      this.#path = this.#defaultPath
    else if (fields['name'] === 'search_path') {
      if (nodes(fields, 'args').length > PATH_SCHEMAS_MAX) throw pathTooLong()
      const names = nodes(fields, 'args').map(arg => node(node(arg, 'A_Const'), 'sval')['sval'])
      this.#path = names.filter(name => typeof name === 'string' && name !== '$user') as string[]
    }
  }

  /** Without any schema Postgres refuses to create it: the empty name finds nothing. */
  #written(names: readonly string[]): Creation & { schema: string } {
    const [name = '', schema] = names.toReversed()
    const written = schema === undefined ? [name] : [schema, name]
    return { label: shown(written), name, schema: schema ?? this.#path[0] ?? '' }
  }
}

function typePath(schemas: readonly string[]): TypePath {
  return { schemas, text: JSON.stringify(schemas), path: schemas }
}

function pathTooLong(): DomainError {
  return new DomainError('payload_too_large', `A search_path has more than ${PATH_SCHEMAS_MAX} schemas.`, {
    hint: 'Each name would be looked for in each of them: name the schemas in the statements instead.',
  })
}

/** The same for the same object alone. Its length is about what it takes to ask for the object. */
export function objectKey(object: CreatedObject): string {
  const { type, name } = object
  if (object.type === 'index') return JSON.stringify([type, name, object.table.name, object.table.schemas])
  if (object.type === 'table') return JSON.stringify([type, name, object.schema])
  const { schema, kinds } = object
  const numbers = object.type === 'function' ? object.args.map(arg => arg.number).join() : ''
  return JSON.stringify([type, name, schema, kinds, numbers])
}

/**
 * The name that Postgres gives to an index of plain columns, where it need not be cut or numbered. Source:
 * ChooseIndexName in indexcmds.c.
 */
function chosenIndexName(table: string, fields: SyntaxNode): string | undefined {
  const elements = [...nodes(fields, 'indexParams'), ...nodes(fields, 'indexIncludingParams')]
  const columns = elements.map(element => node(element, 'IndexElem')['name'])
  if (columns.includes(undefined) || new Set(columns).size < columns.length) return undefined
  const name = [table, ...columns, 'idx'].join('_')
  return new TextEncoder().encode(name).length <= NAME_BYTES_MAX ? name : undefined
}

/** `schema.name`, each in quotes where Postgres would read another name without. */
function shown(names: readonly string[]): string {
  return names
    .map(name => (/^[a-z_\u0080-\uffff][a-z0-9_$\u0080-\uffff]*$/.test(name) ? name : quoteIdentifier(name)))
    .join('.')
}

/** Name and schema, in the order in which they are written. */
function rangeName({ schemaname, relname }: SyntaxNode): string[] {
  return (schemaname === undefined ? [relname] : [schemaname, relname]) as string[]
}

function node(parent: SyntaxNode, name: string): SyntaxNode {
  return (parent[name] ?? {}) as SyntaxNode
}

function nodes(parent: SyntaxNode, name: string): SyntaxNode[] {
  return (parent[name] ?? []) as SyntaxNode[]
}

function strings(parent: SyntaxNode, name: string): string[] {
  return nodes(parent, name).map(item => String(node(item, 'String')['sval']))
}
