// Bounds the memory of the parser's WebAssembly module. libpg-query asks for 128 MiB at its start, which is all that an
// isolate may have. But it needs only 33 (its stack's address space) and what the text takes. Pure; used at build time.

const PAGE_BYTES = 65_536
const MEMORY_SECTION = 5
const HEADER_BYTES = 8

/** Where the parser's heap begins (below are its data and its stack): a smaller memory could not even start. */
export const PARSER_MEMORY_BYTES_MIN = 560 * PAGE_BYTES
/** Enough for 1.3 MB of ordinary INSERTs and 170 KB of the densest SQL (`1,1,1,...`); half of an isolate stays free. */
export const PARSER_MEMORY_BYTES_MAX = 1_024 * PAGE_BYTES

/**
 * A copy of the module whose memory starts at `bytesMin` and never grows over `bytesMax`. Throws when the module has
 * not exactly one memory with a limit, which would mean that libpg-query is built in another way than it was.
 */
export function boundMemory(wasm: Uint8Array, bytesMin: number, bytesMax: number): Uint8Array<ArrayBuffer> {
  const { start, end } = findSection(wasm, MEMORY_SECTION)
  if (wasm[start] !== 1 || wasm[start + 1] !== 1)
    throw new Error('the module has not one memory with a limit')
  const limits = [1, 1, ...leb128(bytesMin / PAGE_BYTES), ...leb128(bytesMax / PAGE_BYTES)]
  const section = [MEMORY_SECTION, ...leb128(limits.length), ...limits]
  const sectionStart = start - sizeOfLeb128(end - start) - 1
  const bounded = new Uint8Array(sectionStart + section.length + wasm.length - end)
  bounded.set(wasm.subarray(0, sectionStart))
  bounded.set(section, sectionStart)
  bounded.set(wasm.subarray(end), sectionStart + section.length)
  return bounded
}

/** The contents of a section: WebAssembly Core Specification, section 5.5.2. */
function findSection(wasm: Uint8Array, wanted: number): { start: number; end: number } {
  let at = HEADER_BYTES
  while (at < wasm.length) {
    const id = wasm[at]
    const { value: size, end: start } = readLeb128(wasm, at + 1)
    if (id === wanted) return { start, end: start + size }
    at = start + size
  }
  throw new Error(`the module has no section ${wanted}`)
}

function readLeb128(bytes: Uint8Array, start: number): { value: number; end: number } {
  let value = 0
  for (let i = 0; i < 5; i++) {
    const byte = bytes[start + i] ?? 0
    value += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) return { value, end: start + i + 1 }
  }
  throw new Error('a number in the module is too long')
}

function leb128(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb128(value >> 7)]
}

const sizeOfLeb128 = (value: number) => leb128(value).length
