/** A line for the log, of what failed and goes on: it is tried again, or told to clients. */
export function logFailure(message: string, cause: unknown): void {
  console.warn(JSON.stringify({ level: 'warn', component: 'realtime', message, cause: String(cause) }))
}
