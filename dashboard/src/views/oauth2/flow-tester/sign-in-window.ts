// The window in which somebody signs in, and how its answer comes back. The dashboard's pages are cut off from windows
// that went elsewhere (COOP: there is no `window.opener`), so the callback speaks on a channel of this origin.

const CHANNEL = 'quoin-flow-tester'
const WINDOW_NAME = 'quoin-flow-tester'

export const CALLBACK_PATH = '/oauth2/flow-tester/callback'

/** Where the OAuth2 server sends the browser back to: an exact redirect URI of the client. */
export const CALLBACK_URL = `${location.origin}${CALLBACK_PATH}`

type Spoken = { kind: 'came back'; search: string } | { kind: 'taken'; search: string }

/** Undefined where the browser blocks windows. */
export function openWindow(url: string): Window | undefined {
  return window.open(url, WINDOW_NAME, 'popup,width=520,height=760') ?? undefined
}

/** Tells of every answer that comes to the callback. `take` says whether it was this page's; then its window closes. */
export function listenForCallback(take: (search: string) => boolean): () => void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = ({ data }: MessageEvent<Spoken>) => {
    if (data.kind === 'came back' && take(data.search))
      channel.postMessage({ kind: 'taken', search: data.search } satisfies Spoken)
  }
  return () => channel.close()
}

/** In the callback's own window: passes the query on. `onTaken` is called when the flow tester's page has it. */
export function passOn(search: string, onTaken: () => void): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = ({ data }: MessageEvent<Spoken>) => {
    if (data.kind !== 'taken' || data.search !== search) return
    channel.close()
    onTaken()
  }
  channel.postMessage({ kind: 'came back', search } satisfies Spoken)
}
