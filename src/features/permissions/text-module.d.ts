// `.txt` is text to wrangler.

declare module '*.txt' {
  const text: string
  export default text
}
