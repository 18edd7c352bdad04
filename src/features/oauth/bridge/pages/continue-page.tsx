// The page between a form of ours and the OAuth2 server.

import type { PageFrame } from './frame.ts'
import { documentText, Page } from './page.tsx'

/** `url` is a web address that was checked; the page goes there at once. */
export function renderContinuePage(url: string, frame: PageFrame): string {
  return documentText(
    <Page frame={frame} title="One moment" continueTo={url}>
      <h1>One moment …</h1>
      <p class="dim">You are being sent on. If nothing happens, go on by yourself.</p>
      <div class="actions">
        <a class="button primary" href={url}>
          Continue
        </a>
      </div>
    </Page>,
  )
}
