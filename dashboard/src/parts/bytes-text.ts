/** `49.2 KB`: bytes in the largest unit that leaves a whole one. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB']
  const power = bytes < 1_000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1)
  return `${(bytes / 1_000 ** power).toLocaleString('en', { maximumFractionDigits: 1 })} ${units[power]}`
}
