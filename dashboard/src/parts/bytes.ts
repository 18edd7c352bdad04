// Sizes, as people say them. Pure.

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** `8.5 MiB`. */
export function bytesText(bytes: number): string {
  const step = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), UNITS.length - 1)
  return `${(bytes / 1024 ** step).toLocaleString('en', { maximumFractionDigits: 1 })} ${UNITS[step]}`
}
