export function isSql(name: string): boolean {
  return name.endsWith('.sql')
}

/** What a `.sql` file applies; what stands behind the mark takes it back. */
export function upPart(text: string): string {
  const down = text.search(/^[ \t]*--[ \t-]*down[ \t]+migration/im)
  return down === -1 ? text : text.slice(0, down)
}
