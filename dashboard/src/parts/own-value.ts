/** What the table itself has under the name. `table[name]` also finds what every object has, like `constructor`. */
export function ownValue<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
