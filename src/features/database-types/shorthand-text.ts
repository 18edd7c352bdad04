// The names by which a program takes a part out of `Database`: those of Supabase's own files of types.

/** `Tables<'todos'>`, or `Tables<{ schema: 'shop' }, 'todos'>` of another schema than the default one. */
export const SHORTHANDS = `type Schemas = Omit<Database, "__InternalSupabase">

type OtherSchema = { schema: keyof Schemas }

type Rows<Schema extends keyof Schemas> = Schemas[Schema]["Tables"] & Schemas[Schema]["Views"]

type Part<Of, Name, Field extends string> = Name extends keyof Of
  ? Of[Name] extends Record<Field, infer Found>
    ? Found
    : never
  : never

export type Tables<
  NameOrSchema extends keyof Rows<DefaultSchema> | OtherSchema,
  Name extends NameOrSchema extends OtherSchema ? keyof Rows<NameOrSchema["schema"]> : never = never,
> = NameOrSchema extends OtherSchema
  ? Part<Rows<NameOrSchema["schema"]>, Name, "Row">
  : Part<Rows<DefaultSchema>, NameOrSchema, "Row">

${['Insert', 'Update']
  .map(
    field => `export type Tables${field}<
  NameOrSchema extends keyof Schemas[DefaultSchema]["Tables"] | OtherSchema,
  Name extends NameOrSchema extends OtherSchema
    ? keyof Schemas[NameOrSchema["schema"]]["Tables"]
    : never = never,
> = NameOrSchema extends OtherSchema
  ? Part<Schemas[NameOrSchema["schema"]]["Tables"], Name, "${field}">
  : Part<Schemas[DefaultSchema]["Tables"], NameOrSchema, "${field}">
`,
  )
  .join('\n')}
${['Enums', 'CompositeTypes']
  .map(
    part => `export type ${part}<
  NameOrSchema extends keyof Schemas[DefaultSchema]["${part}"] | OtherSchema,
  Name extends NameOrSchema extends OtherSchema
    ? keyof Schemas[NameOrSchema["schema"]]["${part}"]
    : never = never,
> = NameOrSchema extends OtherSchema
  ? Schemas[NameOrSchema["schema"]]["${part}"][Name]
  : NameOrSchema extends keyof Schemas[DefaultSchema]["${part}"]
    ? Schemas[DefaultSchema]["${part}"][NameOrSchema]
    : never
`,
  )
  .join('\n')}`
