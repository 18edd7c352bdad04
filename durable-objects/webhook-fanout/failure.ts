// What a WebhookFanout puts into the log when something fails here, and not at the receiver.

/** Names what failed, never a secret, a URL or a body. */
export function logFailure(message: string, err: unknown): void {
  console.error(JSON.stringify({ level: 'error', component: 'webhook-fanout', message, cause: String(err) }))
}
