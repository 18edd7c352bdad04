// Types for the parts of `libpg-query` that are used: its Emscripten factory, and the module that bundlers make of
// `.wasm`.

declare module 'libpg-query/wasm/libpg-query.js' {
  /** The exports of one instance. Pointers are byte offsets into `HEAPU8`, which is replaced when the memory grows. */
  export interface PgQueryModule {
    HEAPU8: Uint8Array
    getValue(pointer: number, type: 'i32'): number
    UTF8ToString(pointer: number): string
    stringToUTF8(text: string, pointer: number, bytesMax: number): void
    lengthBytesUTF8(text: string): number
    _malloc(bytes: number): number
    _free(pointer: number): void
    _wasm_parse_query_raw(text: number): number
    _wasm_free_parse_result(result: number): void
  }

  export interface PgQueryModuleOptions {
    instantiateWasm: (imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void) => void
    print: (text: string) => void
    printErr: (text: string) => void
  }

  export default function makeModule(options: PgQueryModuleOptions): Promise<PgQueryModule>
}

declare module '*.wasm' {
  const module: WebAssembly.Module
  export default module
}
