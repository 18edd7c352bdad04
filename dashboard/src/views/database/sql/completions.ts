// What the editor offers of the database's tables.

/** Those of the first schema by their names alone, as SQL finds them. */
export function completionsOf(
  tables: readonly { schema: string; name: string; columns: { name: string }[] }[],
) {
  return Object.fromEntries(
    tables.map(({ schema, name, columns }) => [
      schema === 'public' ? name : `${schema}.${name}`,
      columns.map(column => column.name),
    ]),
  )
}

/** A statement to begin with. */
export function exampleOf(
  tables: readonly { schema: string; name: string; readable: boolean }[],
): string | undefined {
  // Names that need no quotes.
  const table = tables.find(({ name, readable }) => readable && /^[a-z_][a-z0-9_]*$/.test(name))
  return table && `select * from ${table.schema}.${table.name} limit 100`
}
