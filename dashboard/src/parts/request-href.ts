import { addressOf } from '../app/address.ts'

/** Where the logs have everything of one request: itself, its changes, what was sent for it. */
export function requestHref(requestId: string): string {
  return addressOf('/logs', { request_id: requestId })
}
