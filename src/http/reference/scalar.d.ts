// `.bin` is data to wrangler.

declare module '*.bin' {
  const bytes: ArrayBuffer
  export default bytes
}
