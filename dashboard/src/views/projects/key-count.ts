/** `1 active key`, `1,200 active keys`. */
export function activeKeys(count: number): string {
  return `${count.toLocaleString('en')} active ${count === 1 ? 'key' : 'keys'}`
}
